"""Where the values of a JSON text stand, so that one of them can be replaced without touching the rest."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

_SPACE = re.compile(r"[ \t\r\n]*")
_SCALAR = json.JSONDecoder()


@dataclass(frozen=True)
class Node:
    """A value of a JSON text: `start` and `end` are its character offsets, `value` what it says.

    Attributes:
        members: of an object, by key.
        items: of an array.
    """

    start: int
    end: int
    value: Any
    members: dict[str, Node] = field(default_factory=dict)
    items: tuple[Node, ...] = ()


def parse(text: str) -> Node:
    """The value that a JSON text is.

    Raises:
        ValueError: it is not JSON.
    """
    # The decoder of the standard library speaks first: its errors carry a line, and what it takes, the walk takes.
    json.loads(text)
    return _value(text, _skip(text, 0))


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _value(text: str, at: int) -> Node:
    if text[at] == "{":
        return _object(text, at)
    if text[at] == "[":
        return _array(text, at)
    value, end = _SCALAR.raw_decode(text, at)
    return Node(at, end, value)


def _object(text: str, start: int) -> Node:
    members: dict[str, Node] = {}
    at = _skip(text, start + 1)
    while text[at] != "}":
        key, at = _SCALAR.raw_decode(text, at)
        # Past the colon.
        member = members[key] = _value(text, _skip(text, _skip(text, at) + 1))
        at = _skip(text, member.end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return Node(start, at + 1, {key: member.value for key, member in members.items()}, members)


def _array(text: str, start: int) -> Node:
    items: list[Node] = []
    at = _skip(text, start + 1)
    while text[at] != "]":
        items.append(_value(text, at))
        at = _skip(text, items[-1].end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return Node(start, at + 1, [item.value for item in items], items=tuple(items))
