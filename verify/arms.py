"""Counts which way the rewritten conditions go, in an instrumented copy of the original."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, cast

from .verdict import Arm

_COUNTER = "__refactor_arm__"
_LINE = re.compile(r"\r\n|\r|\n")
Span = tuple[int, int, int, int]


class Arms:
    """The conditions of one text, given as (line, column, end line, end column) with columns in characters."""

    def __init__(self, text: str, conditions: Iterable[Span]) -> None:
        self._counts: dict[Span, list[int]] = {span: [0, 0] for span in conditions}
        self._text = text

    def instrumented(self) -> tuple[ast.Module, dict[str, Any]] | None:
        """The text's tree with counted conditions and the names that it needs; None where there is nothing to count."""
        if not self._counts:
            return None
        tree = ast.parse(self._text.removeprefix("\ufeff"))
        marker = _Marker(_columns(self._text), list(self._counts))
        return ast.fix_missing_locations(marker.visit(tree)), {_COUNTER: self._count}

    def results(self) -> tuple[Arm, ...]:
        """The counts so far, in the order of the text."""
        return tuple(Arm(span[0], span[1], *counts) for span, counts in sorted(self._counts.items()))

    def _count(self, index: int, value: Any, only_truth: bool) -> Any:
        truth = bool(value)
        self._counts[list(self._counts)[index]][0 if truth else 1] += 1
        # Where only the truth is asked for it is handed on, so that no user-defined __bool__ runs twice.
        return truth if only_truth else value


def vanished(old: str, new: str) -> tuple[Span, ...]:
    """The conditions of `old` that `new` does not ask any more: what was rewritten where nobody says what was."""
    try:
        before, after = (ast.parse(text.removeprefix("\ufeff")) for text in (old, new))
    except SyntaxError:
        return ()
    kept = Counter(ast.dump(test) for test in _tests(after))
    marker = _Marker(_columns(old), [])
    found = []
    for test in _tests(before):
        kept[ast.dump(test)] -= 1
        if kept[ast.dump(test)] < 0 and not isinstance(test, ast.Constant):
            found.append(marker.span(test))
    return tuple(found)


def _tests(tree: ast.Module) -> Iterator[ast.expr]:
    """What the branches of a text ask; the guard of a script is no part of it."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.If, ast.While, ast.IfExp)) and "__name__" not in ast.unparse(node.test):
            yield node.test


class _Marker(ast.NodeTransformer):
    def __init__(self, columns: dict[int, tuple[str, int]], spans: list[Span]) -> None:
        self._lines, self._spans = columns, spans
        self._left = set(spans)
        self._truths: set[int] = set()

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, (ast.If, ast.While, ast.IfExp, ast.Assert)):
            self._truths.add(id(node.test))
        elif isinstance(node, ast.comprehension):
            self._truths.update(map(id, node.ifs))
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            self._truths.add(id(node.operand))
        elif isinstance(node, ast.BoolOp) and id(node) in self._truths:
            self._truths.update(map(id, node.values))
        span = self.span(node) if isinstance(node, ast.expr) else None
        if span is None or span not in self._left:
            return self.generic_visit(node)
        self._left.discard(span)
        result = self.generic_visit(node)
        arguments = [
            ast.Constant(self._spans.index(span)),
            cast(ast.expr, result),
            ast.Constant(id(node) in self._truths),
        ]
        call = ast.Call(ast.Name(_COUNTER, ast.Load()), arguments, [])
        return ast.copy_location(call, node)

    def span(self, node: ast.expr) -> Span:
        """Where an expression stands."""
        end_line = node.end_lineno or node.lineno
        return (
            node.lineno,
            self._column(node.lineno, node.col_offset),
            end_line,
            self._column(end_line, node.end_col_offset or 0),
        )

    def _column(self, line: int, byte_column: int) -> int:
        text, shift = self._lines.get(line, ("", 0))
        return shift + (byte_column if text.isascii() else len(text.encode()[:byte_column].decode(errors="replace")))


def _columns(text: str) -> dict[int, tuple[str, int]]:
    """Each line without its ending, and how far a byte order mark shifts its columns."""
    lines = {number: (line, 0) for number, line in enumerate(_LINE.split(text), start=1)}
    if text.startswith("\ufeff"):
        lines[1] = (lines[1][0].removeprefix("\ufeff"), 1)
    return lines
