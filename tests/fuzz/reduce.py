"""Makes a program that shows a fault small: statements that do not matter go, arms take the place of their branch."""

from __future__ import annotations

import ast
import copy
import time
from collections.abc import Callable, Iterator

# Where the generated part of a program begins.
MARK = "def describe(v):"
Block = list[ast.stmt]
Place = tuple[ast.FunctionDef, Block, int]
_ATTEMPTS = 150
_LIMIT_S = 120.0


def reduced(text: str, fault_of: Callable[[str], str], headline: str) -> str:
    """The smallest text found that still shows a fault of the same kind.

    Args:
        text: the program.
        fault_of: what is wrong with a program, one line; empty where nothing is.
        headline: what is wrong with this one.
    """
    kind, left = _kind(headline), _ATTEMPTS
    deadline = time.monotonic() + _LIMIT_S
    smaller = True
    while smaller and left > 0 and time.monotonic() <= deadline:
        smaller = False
        for candidate in _candidates(text):
            left -= 1
            if left <= 0 or time.monotonic() > deadline:
                break
            if _kind(fault_of(candidate)) == kind:
                text, smaller = candidate, True
                break
    return text


def _kind(headline: str) -> str:
    """The codes and the first words: numbers and names differ as the program shrinks."""
    codes, _, words = headline.partition(":")
    return codes.split(" ")[0] + words[:12] if headline else ""


def _candidates(text: str) -> Iterator[str]:
    """Smaller programs, those that lose most first."""
    tree = ast.parse(text)
    count = sum(1 for _ in places(tree))
    for index in range(count):
        yield from _without(tree, index)


def _without(tree: ast.Module, index: int) -> Iterator[str]:
    for keep in (None, "body", "orelse"):
        copied = copy.deepcopy(tree)
        _, block, at = list(places(copied))[index]
        inner = getattr(block[at], keep, None) if keep else []
        if keep and not inner:
            continue
        block[at : at + 1] = inner or ([] if len(block) > 1 else [ast.Pass()])
        if ast.dump(copied) != ast.dump(tree):
            yield ast.unparse(ast.fix_missing_locations(copied))


def places(tree: ast.Module) -> Iterator[Place]:
    """Every statement of the entry and the methods, outer ones first: its function, its block and its place there."""
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and not n.name.startswith(("make_", "__"))]
    for function in functions:
        for node in ast.walk(function):
            for name in ("body", "orelse", "finalbody"):
                block = getattr(node, name, None)
                if isinstance(block, list):
                    yield from ((function, block, at) for at in range(len(block)))
