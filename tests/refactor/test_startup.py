"""What starting imports, as `-X importtime` lists it: a hook runs on every commit, an editor starts often."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

# What help needs: the command line itself.
SMALL = {"refactor", "refactor.__main__", "refactor.cli", "refactor.errors", "refactor.migrate", "refactor.migrate.cli"}
# What no command imports before it is needed.
HEAVY = ("torch", "numpy", "libcst", "hypothesis", "jinja2", "sqlite3", "pygls", "lsprotocol", "dask", "pytest")
# What only a command imports that has work to do.
WORKING = ("rich", "msgspec", "pathspec", "asyncio", "multiprocessing", "concurrent", "subprocess", "json", "tempfile")
MODEL = "import torch\n\n\ndef f(x: torch.Tensor):\n    if x.sum() > 0:\n        return x\n    return -x\n"


def imported(folder: Path, *arguments: str) -> set[str]:
    command = [sys.executable, "-X", "importtime", "-m", "refactor", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    assert len(lines) > 10, done.stderr
    return {line.rpartition("|")[2].strip() for line in lines}


def among(modules: set[str], names: tuple[str, ...]) -> set[str]:
    return {module for module in modules if module.partition(".")[0] in names}


@pytest.mark.parametrize(
    "arguments", [["--help"], ["check", "--help"], ["migrate", "--help"], ["--version"]], ids=" ".join
)
def test_help_imports_the_command_line_alone(tmp_path, arguments):
    modules = imported(tmp_path, *arguments)
    assert among(modules, ("refactor",)) <= SMALL
    assert not among(modules, (*HEAVY, *WORKING))


@pytest.mark.parametrize("arguments", [["check", "f.py"], ["check", "."], ["rule", "TR101"], ["config"]], ids=" ".join)
def test_what_looks_at_source_imports_neither_torch_nor_libcst(tmp_path, arguments):
    (tmp_path / "f.py").write_text(MODEL)
    assert not among(imported(tmp_path, *arguments), HEAVY)
