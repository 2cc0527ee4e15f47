"""One look at an open file: its findings, where they are in what is open, and the edits that a rewrite is there."""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from lsprotocol import types

from ..engine import Options, Proposal, inspect, propose, rewrite
from ..errors import UserError
from ..notebook import Notebook
from ..passes import parse
from ..transforms.model import Edit, Finding, NoFix, Span
from ..transforms.source import Source
from .documents import Document, Unit


@dataclass(frozen=True)
class Located:
    """A finding with its place in the editor; `finding` is the one of the analysed source, with its plan."""

    finding: Finding
    uri: str
    range: types.Range


class Analysis:
    """The findings of a unit at one stamp.

    Args:
        unit: what is looked at.
        options: how; user code is never run.

    Attributes:
        error: why it could not be analysed; `located` is empty then.
        crash: the traceback, where that was a bug.
    """

    def __init__(self, unit: Unit, options: Options) -> None:
        self.unit = unit
        self.options = options
        self.error: UserError | None = None
        self.located: tuple[Located, ...] = ()
        self.notebook: Notebook | None = unit.notebook
        self.text = self.notebook.source if self.notebook else unit.parts[0][1].text.text
        self._source: Source | None = None
        self.crash = ""
        try:
            self._look()
        except UserError as error:
            self.error = error
        except Exception as error:
            # An editor must outlive a bug that some file shows; it is told with its traceback.
            self.error = UserError(f"a bug of torch-refactor: {type(error).__name__}: {error}", unit.path)
            self.crash = traceback.format_exc()

    def _look(self) -> None:
        name = str(self.unit.path)
        for cell in self.notebook.cells if self.notebook else ():
            parse(cell.python, f"{name}:cell {cell.number}")
        self._source, found = inspect(self.text, name, self.options)
        self.located = tuple(map(self._locate, found))

    def _locate(self, finding: Finding) -> Located:
        document, start = self.place(finding.span.start)
        _, end = self.place(finding.span.end)
        return Located(finding, document.uri, document.text.range(start, end))

    def place(self, offset: int) -> tuple[Document, int]:
        """The open text that an offset of the analysed source lies in, and the offset there."""
        if self.notebook is None:
            return self.unit.parts[0][1], offset
        cell = next((cell for cell in reversed(self.notebook.cells) if cell.start <= offset), self.notebook.cells[0])
        return self.unit.part(cell.number), offset - cell.start

    def shown(self, span: Span) -> types.Location:
        """A span of the analysed source as a place in the editor."""
        document, start = self.place(span.start)
        end = min(start + span.end - span.start, len(document.text.text))
        return types.Location(document.uri, document.text.range(start, end))

    @cached_property
    def source(self) -> Source:
        """The parsed source.

        Raises:
            UserError: it is no valid Python.
        """
        if self._source is None:
            raise self.error or UserError("not analysed", self.unit.uri)
        return self._source

    def propose(self, finding: Finding) -> Proposal | NoFix:
        """The fix of one finding."""
        return propose(self.source, finding, self.options)

    def all_of(self, code: str | None) -> str:
        """The source with every safe fix of one rule, or of all rules for None, made on static facts."""
        options = self.options
        if code is not None:
            options = replace(options, select=frozenset({code}), complete=False)
        return rewrite(self.text, str(self.unit.path), options).new

    def with_edits(self, edits: tuple[Edit, ...]) -> str:
        """The source after edits of it."""
        text = self.text
        for edit in sorted(edits, reverse=True):
            text = text[: edit.span.start] + edit.text + text[edit.span.end :]
        return text

    def changes(self, new: str) -> Mapping[Document, list[types.TextEdit]] | None:
        """The edits of each open text that make a rewritten source of it; None where cells cannot be told apart."""
        if self.notebook is None:
            texts: dict[int, str] | None = {0: new}
        else:
            texts = self.notebook.split(new)
        if texts is None:
            return None
        pairs = [(document, texts[number]) for number, document in self.unit.parts]
        return {document: document.text.edits(text) for document, text in pairs if text != document.text.text}

    def error_place(self) -> tuple[str, types.Range] | None:
        """Where the error is, for one that has a line."""
        if self.error is None:
            return None
        _, _, cell = str(self.error.path).partition(":cell ")
        number = int(cell) if cell.isdecimal() else self.unit.parts[0][0]
        document = self.unit.part(number)
        return document.uri, document.text.row(self.error.line or 1)


def kept(last: Analysis, unit: Unit) -> tuple[Located, ...]:
    """The findings of the last good analysis that still stand where nothing changed since, in the unit as it is.

    What stands before or after everything that was typed keeps its place; what was touched is dropped.
    """
    texts = {document.uri: document for _, document in unit.parts}
    old_texts = {document.uri: document for _, document in last.unit.parts}
    found = []
    for item in last.located:
        document, old = texts.get(item.uri), old_texts[item.uri].text
        if document is None:
            continue
        start, end = old.offset(item.range.start), old.offset(item.range.end)
        shift = _shift(old.text, document.text.text, start, end)
        if shift is not None:
            found.append(replace(item, range=document.text.range(start + shift, end + shift)))
    return tuple(found)


def _shift(old: str, new: str, start: int, end: int) -> int | None:
    """By how much a range moved from one text to another; None where it was touched."""
    if old[:end] == new[:end]:
        return 0
    shift = len(new) - len(old)
    return shift if start + shift >= 0 and old[start:] == new[start + shift :] else None
