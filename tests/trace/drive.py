"""Runs programs, each a file with a `main` that takes what compiles, from an empty cache each."""

import importlib.util
import sys
from pathlib import Path

import torch


def compiled(function, **options):
    return torch.compile(function, backend="eager", **options)


for path in map(Path, sys.argv[1:]):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    program = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = program
    spec.loader.exec_module(program)
    torch._dynamo.reset()
    program.main(compiled)
