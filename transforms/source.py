"""A source text with its tree, and the conversions between positions and character offsets."""

from __future__ import annotations

import ast
import bisect
import functools
import re
from dataclasses import dataclass

from .model import Span

_LINE = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a node stands: its span, 1-based lines and 0-based character columns."""

    span: Span
    line: int
    column: int
    end_line: int
    end_column: int


class Source:
    """An immutable Python text, parsed once.

    Raises:
        SyntaxError: from the constructor, as `ast.parse` raises it (also ValueError for NUL bytes is turned into it).
    """

    def __init__(self, text: str, name: str = "<string>") -> None:
        self.text = text
        self.name = name
        # ast counts only \n, \r\n and \r as line ends (form feeds are spaces), as this table does.
        # A byte-order mark is no part of the first line: nothing may be written before it.
        first = 1 if text.startswith("\ufeff") else 0
        self._starts = [first, *(m.end() for m in _LINE.finditer(text))]
        try:
            self.tree = ast.parse(text.removeprefix("\ufeff"), filename=name, type_comments=False)
        except ValueError as error:
            raise SyntaxError(str(error), (name, 1, 1, "")) from None

    @functools.cached_property
    def newline(self) -> str:
        """The line ending of the first line, `\\n` where there is none."""
        found = _LINE.search(self.text)
        return found.group() if found else "\n"

    @functools.cached_property
    def indent(self) -> str:
        """The unit of indentation: that of the first indented block, four spaces where there is none."""
        for node in ast.walk(self.tree):
            if not isinstance(node, (ast.stmt, ast.ExceptHandler)):
                continue
            for child in getattr(node, "body", ()):
                outer, inner = self.margin(node), self.margin(child)
                if child.lineno > node.lineno and inner.startswith(outer) and len(inner) > len(outer):
                    return inner[len(outer) :]
        return "    "

    def line(self, number: int) -> str:
        """The text of a 1-based line, without its ending."""
        return self.text[self._starts[number - 1] : self.line_end(number)]

    def line_start(self, number: int) -> int:
        """The offset of the first character of a 1-based line; the length of the text past its end."""
        return self._starts[number - 1] if number <= len(self._starts) else len(self.text)

    def line_end(self, number: int) -> int:
        """The offset just after the last character of a line, before its ending."""
        stop = self.line_start(number + 1)
        return self._starts[number - 1] + len(self.text[self._starts[number - 1] : stop].rstrip("\r\n"))

    @property
    def line_count(self) -> int:
        """How many lines there are; a text that ends with a newline has an empty last one."""
        return len(self._starts)

    def position(self, offset: int) -> tuple[int, int]:
        """The 1-based line and 0-based character column of an offset."""
        row = max(1, bisect.bisect_right(self._starts, offset))
        return row, offset - self._starts[row - 1]

    def offset(self, line: int, byte_column: int) -> int:
        """The character offset of an ast position (1-based line, 0-based column in UTF-8 bytes)."""
        start = self._starts[line - 1]
        row = self.text[start : self.line_end(line)]
        if row.isascii():
            return start + byte_column
        return start + len(row.encode("utf-8", "surrogatepass")[:byte_column].decode("utf-8", "replace"))

    def span(self, node: ast.AST) -> Span:
        """The span of a node that has a position; decorators are not part of a definition's span."""
        return Span(self.offset(node.lineno, node.col_offset), self.offset(node.end_lineno, node.end_col_offset))  # type: ignore[attr-defined]

    def code(self, node: ast.AST) -> str:
        """The exact text of a node, without the parentheses around it."""
        span = self.span(node)
        return self.text[span.start : span.end]

    def margin(self, node: ast.AST) -> str:
        """The white space that the node's first line begins with."""
        row = self.line(node.lineno)  # type: ignore[attr-defined]
        return row[: len(row) - len(row.lstrip(" \t\f"))].lstrip("\f")

    def place(self, node: ast.AST) -> Place:
        """Everything that a report says about where a node stands."""
        span = self.span(node)
        line, column = self.position(span.start)
        end_line, end_column = self.position(span.end)
        return Place(span, line, column, end_line, end_column)
