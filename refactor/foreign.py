"""What the functions of other files return that a file calls: a helper beside it may give a tensor, or a number.

Those files are parsed, never run; what one of their functions returns is found out once.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Mapping
from pathlib import Path

from .neighbours import home, signs_of_file
from .transforms.facts import Facts
from .transforms.facts.values import ELSEWHERE, UNKNOWN, Tag, Value, replace
from .transforms.smith import names_of
from .transforms.source import Source

# Of these nothing else than what they are may be told of another file.
_TOLD = (Tag.TENSOR, Tag.HOST, Tag.NONE, Tag.SEQUENCE)
_OTHERS = ("torch.", "builtins.", "typing.", "numpy.", "math.")


def returned_elsewhere(source: Source, path: Path) -> Mapping[str, Value]:
    """What the functions of other files return whose result a source uses, by their dotted names.

    Args:
        source: the text.
        path: where it stands; files beside it are looked at.
    """
    names = names_of(source)
    calls = [call for call in names.nodes(ast.Call) if not isinstance(names.parent(call), ast.Expr)]
    asked = {name for call in calls if (name := names.qualified(call.func)) and _foreign(name)}
    found: dict[str, Value] = {}
    for name in sorted(asked):
        place = home(name, path)
        if place is not None:
            value = _returned(*place, signs_of_file(place[0]))
            if value.tag is not Tag.UNKNOWN:
                found[name] = value
    return found


def _foreign(name: str) -> bool:
    return "." in name and not name.startswith((".", *_OTHERS))


@functools.lru_cache(maxsize=4096)
def _returned(file: Path, name: str, signs: tuple[int, ...]) -> Value:
    """What a function at the top level of a file returns, whatever it is given."""
    facts = _facts(file, signs)
    if facts is None:
        return UNKNOWN
    try:
        target = facts.calls.plain(name)
        value = UNKNOWN if target is None else facts.kinds.returned(target, {})
    except RecursionError:
        return UNKNOWN
    return _told(value, f"`{name}` of {file.name} returns a tensor")


@functools.lru_cache(maxsize=16)
def _facts(file: Path, _signs: tuple[int, ...]) -> Facts | None:
    try:
        return Facts(Source(file.read_text("utf-8"), str(file)))
    except (OSError, UnicodeDecodeError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _told(value: Value, because: str) -> Value:
    """A value without the symbols of its file."""
    if value.tag not in _TOLD:
        return UNKNOWN
    items = tuple(_told(item, because) for item in value.items) if value.items is not None else None
    away = frozenset({ELSEWHERE})
    tensor = value.tag is Tag.TENSOR
    return replace(
        value, because=because if tensor else value.because, dtype=None, shape=None, roots=away, deps=away, items=items
    )
