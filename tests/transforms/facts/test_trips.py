"""How often a loop runs, and with what."""

from __future__ import annotations

import ast

import pytest

from refactor.transforms import smith
from refactor.transforms.facts.trips import bindings
from refactor.transforms.source import Source

FILE = """\
import torch
from torch import nn

DEPTH = 2
PAIRS = ((1, "a"), (2, "b"))
NAMES = ["a", "b"]


class Net(nn.Module):
    def __init__(self, depth=4):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 4)])
        self.made = nn.ModuleList(nn.Linear(4, 4) for _ in range(DEPTH))
        self.tied = nn.ModuleList([nn.Linear(4, 4)] * 2)
        self.chain = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
        self.given = nn.ModuleList([nn.Linear(4, 4) for _ in range(depth)])
        self.picked = nn.ModuleList([nn.Linear(4, 4) for i in range(3) if i])
        self.grown = nn.ModuleList([nn.Linear(4, 4)])
        self.grown.append(nn.Linear(4, 4))
        self.head = nn.Linear(4, 4)
        self.cache = None

    def forward(self, x, y):
        self.cache = x
        for TARGET in ITERABLE:
            x = x + 1
        return x
"""


def trips(target: str, iterable: str) -> list[dict[str, str]] | None:
    source = Source(FILE.replace("TARGET", target).replace("ITERABLE", iterable))
    facts = smith.facts_of(source)
    (loop,) = facts.names.nodes(ast.For)
    found = bindings(loop, facts)
    return None if found is None else [{name: item.text for name, item in trip} for trip in found]


@pytest.mark.parametrize(
    ("target", "iterable", "expected"),
    [
        ("i", "range(2)", [{"i": "0"}, {"i": "1"}]),
        ("i", "range(3, 0, -DEPTH)", [{"i": "3"}, {"i": "1"}]),
        ("i", "range(0)", []),
        ("i", "range(len(self.layers) - 2)", None),
        ("i", "range(len(self.made))", [{"i": "0"}, {"i": "1"}]),
        ("s", "(0.5, 1e-3)", [{"s": "0.5"}, {"s": "1e-3"}]),
        ("t", "[y, self.head]", [{"t": "y"}, {"t": "self.head"}]),
        ("n, k", "PAIRS", [{"n": "1", "k": '"a"'}, {"n": "2", "k": '"b"'}]),
        ("p", "PAIRS", [{"p": '(1, "a")'}, {"p": '(2, "b")'}]),
        ("i, s", "enumerate((5, 6), 1)", [{"i": "1", "s": "5"}, {"i": "2", "s": "6"}]),
        ("i, (n, k)", "enumerate(PAIRS)", [{"i": "0", "n": "1", "k": '"a"'}, {"i": "1", "n": "2", "k": '"b"'}]),
        ("a, b", "zip((1, 2, 3), reversed(range(2)))", [{"a": "1", "b": "1"}, {"a": "2", "b": "0"}]),
        ("layer", "self.layers[1:]", [{"layer": "self.layers[1]"}, {"layer": "self.layers[2]"}]),
        ("layer", "self.made", [{"layer": "self.made[0]"}, {"layer": "self.made[1]"}]),
        ("layer", "self.tied", [{"layer": "self.tied[0]"}, {"layer": "self.tied[1]"}]),
        ("layer", "reversed(self.chain)", [{"layer": "self.chain[1]"}, {"layer": "self.chain[0]"}]),
    ],
)
def test_the_text_tells_the_elements(target: str, iterable: str, expected: list[dict[str, str]] | None) -> None:
    assert trips(target, iterable) == expected


@pytest.mark.parametrize(
    ("target", "iterable"),
    [
        ("i", "range(y)"),
        ("i", "range(0, 4, 0)"),
        ("i", "range(1000)"),
        ("n", "NAMES"),
        ("t", "(x, y)"),
        ("t", "(y.mean(), y)"),
        ("t", "(self.cache, y)"),
        ("t", "(*PAIRS, 1)"),
        ("a, b", "((1, 2, 3), (4, 5, 6))"),
        ("a, *b", "PAIRS"),
        ("self.head", "PAIRS"),
        ("a, b", "zip((1, 2), (3,), strict=True)"),
        ("layer", "self.given"),
        ("layer", "self.picked"),
        ("layer", "self.grown"),
        ("layer", "self.missing"),
    ],
)
def test_unknown_elements_are_not_guessed(target: str, iterable: str) -> None:
    assert trips(target, iterable) is None


def test_a_shadowed_range_is_no_range() -> None:
    source = Source("def range(n):\n    return [n]\n\ndef f(x):\n    for i in range(2):\n        x = x + i\n")
    facts = smith.facts_of(source)
    (loop,) = facts.names.nodes(ast.For)
    assert bindings(loop, facts) is None
