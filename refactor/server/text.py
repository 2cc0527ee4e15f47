"""Positions as editors count them, and offsets as everything else here does."""

from __future__ import annotations

import bisect
import difflib
import re
from collections.abc import Sequence

from lsprotocol import types

# The protocol knows these three; a form feed or a Unicode line separator ends no line.
_LINE = re.compile(r"\r\n|\r|\n")
Encoding = types.PositionEncodingKind | str


class Text:
    """An immutable text with the conversions between offsets in characters and positions in code units."""

    def __init__(self, text: str, encoding: Encoding = types.PositionEncodingKind.Utf16) -> None:
        self.text = text
        self.encoding = encoding
        self._starts = [0, *(found.end() for found in _LINE.finditer(text))]

    def position(self, offset: int) -> types.Position:
        """The position of an offset."""
        row = bisect.bisect_right(self._starts, offset) - 1
        return types.Position(row, self._units(self.text[self._starts[row] : offset]))

    def offset(self, position: types.Position) -> int:
        """The offset of a position; past the end of a line it is that of the line's end, as the protocol says."""
        if position.line >= len(self._starts):
            return len(self.text)
        start = self._starts[position.line]
        row = self.text[start : self._end(position.line)]
        if row.isascii() or self.encoding == types.PositionEncodingKind.Utf32:
            return start + min(position.character, len(row))
        units = 0
        for index, character in enumerate(row):
            if units >= position.character:
                return start + index
            units += self._units(character)
        return start + len(row)

    def range(self, start: int, end: int) -> types.Range:
        """The range between two offsets."""
        return types.Range(self.position(start), self.position(end))

    def row(self, line: int) -> types.Range:
        """The range of the code on a 1-based line; the last line for one past the end."""
        index = min(max(line, 1), len(self._starts)) - 1
        start, end = self._starts[index], self._end(index)
        code = self.text[start:end]
        return self.range(start + len(code) - len(code.lstrip()), start + len(code.rstrip()) if code.strip() else end)

    def changed(self, change: types.TextDocumentContentChangeEvent) -> Text:
        """The text after an edit of the client's."""
        if isinstance(change, types.TextDocumentContentChangePartial):
            start, end = self.offset(change.range.start), self.offset(change.range.end)
            return Text(self.text[:start] + change.text + self.text[end:], self.encoding)
        return Text(change.text, self.encoding)

    def edits(self, new: str) -> list[types.TextEdit]:
        """The edits that turn the text into another one: whole lines, and of each only what differs."""
        old_lines, new_lines = _lines(self.text), _lines(new)
        edits = []
        matcher = difflib.SequenceMatcher(None, old_lines, new_lines, autojunk=False)
        at = [0]
        for line in old_lines:
            at.append(at[-1] + len(line))
        for kind, first, last, new_first, new_last in matcher.get_opcodes():
            if kind != "equal":
                edits.append(self._trimmed(at[first], at[last], "".join(new_lines[new_first:new_last])))
        return edits

    def _trimmed(self, start: int, end: int, text: str) -> types.TextEdit:
        old = self.text[start:end]
        head = _common(old, text)
        tail = _common(old[head:][::-1], text[head:][::-1])
        # A carriage return and its line feed are one end of a line, and no position lies between them.
        if head and old[head - 1] == "\r":
            head -= 1
        if tail and old[: len(old) - tail].endswith("\r") and old[len(old) - tail] == "\n":
            tail -= 1
        return types.TextEdit(self.range(start + head, end - tail), text[head : len(text) - tail])

    def _end(self, row: int) -> int:
        """The offset before the line's ending."""
        stop = self._starts[row + 1] if row + 1 < len(self._starts) else len(self.text)
        return self._starts[row] + len(self.text[self._starts[row] : stop].rstrip("\r\n"))

    def _units(self, text: str) -> int:
        if text.isascii() or self.encoding == types.PositionEncodingKind.Utf32:
            return len(text)
        if self.encoding == types.PositionEncodingKind.Utf8:
            return len(text.encode("utf-8", "surrogatepass"))
        return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _lines(text: str) -> list[str]:
    ends = [found.end() for found in _LINE.finditer(text)]
    return [text[start:end] for start, end in zip([0, *ends], [*ends, len(text)], strict=True)]


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """How long the common beginning is."""
    longest = min(len(one), len(other))
    return next((index for index in range(longest) if one[index] != other[index]), longest)
