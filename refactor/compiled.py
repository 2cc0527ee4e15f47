"""What the files of a project compile of each other: `torch.compile(Net())` in one, `Net` in another."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from .neighbours import home
from .transforms.facts.names import Names
from .transforms.facts.regions import COMPILE
from .transforms.source import Source


def compiled_elsewhere(files: Iterable[Path]) -> Mapping[Path, frozenset[str]]:
    """The functions and classes that other files compile, by their own file, as names of its top level.

    Args:
        files: where compile calls are looked for; what cannot be read or parsed is passed over.
    """
    found: defaultdict[Path, set[str]] = defaultdict(set)
    for file in files:
        for dotted in _compiled(file):
            place = home(dotted, file)
            if place is not None:
                found[place[0]].add(place[1])
    return {file: frozenset(names) for file, names in found.items()}


def _compiled(file: Path) -> Iterator[str]:
    """What a file compiles of others, as dotted names."""
    try:
        text = file.read_text("utf-8")
        if "torch" not in text or "compile" not in text:
            return
        names = Names(Source(text, str(file)))
    except (OSError, UnicodeDecodeError, SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for call in names.nodes(ast.Call):
        if names.qualified(call.func) in COMPILE and call.args:
            given: ast.expr = call.args[0]
        elif isinstance(call.func, ast.Attribute) and call.func.attr == "compile" and not call.args:
            given = call.func.value
        else:
            continue
        made = names.single_value(given) if isinstance(given, ast.Name) else None
        given = given if made is None else made
        dotted = names.qualified(given.func if isinstance(given, ast.Call) else given)
        if dotted and not dotted.startswith((".", "torch.")):
            yield dotted
