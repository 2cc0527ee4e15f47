"""Values that the text alone decides."""

from __future__ import annotations

import ast

import pytest

from refactor.transforms import smith
from refactor.transforms.facts.constants import UNDECIDED, decide
from refactor.transforms.source import Source

FILE = """\
LIMIT = 3
SIZES = (1, "a", (2.5, None))
CHANGED = 1
if LIMIT:
    SOMETIMES = 1

def bump():
    global CHANGED
    CHANGED += 1

def f(x, LOCAL=1):
    LOCAL = 2
    return {}
"""


def decided(text: str, **values: object) -> object:
    source = Source(FILE.format(text))
    (returned,) = [n for n in ast.walk(source.tree) if isinstance(n, ast.Return)]
    assert returned.value is not None
    return decide(returned.value, smith.facts_of(source), values)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2", 2),
        ("-2.5", -2.5),
        ("LIMIT", 3),
        ("SIZES", (1, "a", (2.5, None))),
        ("LIMIT * 2 - 1", 5),
        ("7 // 2 % 2", 1),
        ("LIMIT == 3", True),
        ("0 < LIMIT < 3", False),
        ("'a' in SIZES", True),
        ("not LIMIT", False),
        ("0 or LIMIT", 3),
        ("0 and x", 0),
        ("(0 or 3) == 3", True),
    ],
)
def test_literals_and_module_constants_are_decided(text: str, value: object) -> None:
    assert decided(text) == value


@pytest.mark.parametrize(
    "text",
    ["x", "LOCAL", "CHANGED", "SOMETIMES", "missing", "1 // 0", "[1]", "x or 1", "1 < 'a'", "len(SIZES)", "LIMIT.real"],
)
def test_everything_else_is_not(text: str) -> None:
    assert decided(text) is UNDECIDED


def test_given_values_stand_for_names() -> None:
    assert decided("i % 2 == 1", i=3) is True
    assert decided("LOCAL + 1", LOCAL=4) == 5
