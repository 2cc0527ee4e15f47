"""What is open in the editor: texts and notebooks, as typed and not yet saved."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from lsprotocol import types
from pygls import uris

from ..notebook import SUFFIX, Notebook
from .text import Encoding, Text


@dataclass(frozen=True)
class Document:
    """An open text, or the text of an open cell; immutable, so that an analysis keeps what it began with."""

    uri: str
    version: int
    text: Text


@dataclass(frozen=True)
class Unit:
    """What is analysed as one source: a file, or the Python cells of a notebook in order.

    Attributes:
        uri: of the file or the notebook.
        parts: the open texts, each with the number of its cell; of a file its one text, with the number 0.
        stamp: grows with every change.
    """

    uri: str
    parts: tuple[tuple[int, Document], ...]
    stamp: int

    @property
    def path(self) -> Path:
        """Where it stands; a text without a place in the file system gets a name of its own."""
        found = uris.to_fs_path(self.uri) if self.uri.startswith("file:") else None
        if found:
            return Path(found)
        return Path("untitled.ipynb" if self.notebook else "untitled.py").absolute()

    @property
    def notebook(self) -> Notebook | None:
        """The notebook that its cells are, None for a file."""
        if self.parts and not self.parts[0][0]:
            return None
        return Notebook([(number, document.text.text, None) for number, document in self.parts])

    def part(self, number: int) -> Document:
        """The text with a number."""
        return dict(self.parts)[number]


@dataclass
class _Open:
    """An open notebook: its cells in order, each with its URI and whether it holds code."""

    cells: list[types.NotebookCell] = field(default_factory=list)


class Documents:
    """The open documents; every change makes a new `Unit` with a greater stamp."""

    def __init__(self) -> None:
        self.encoding: Encoding = types.PositionEncodingKind.Utf16
        self._texts: dict[str, Document] = {}
        self._languages: dict[str, str] = {}
        self._notebooks: dict[str, _Open] = {}
        self._owner: dict[str, str] = {}
        self._stamps: dict[str, int] = {}
        self._counter = itertools.count(1)

    def open(self, item: types.TextDocumentItem) -> str:
        """Take a text in; the URI of its unit."""
        self._texts[item.uri] = Document(item.uri, item.version, Text(item.text, self.encoding))
        self._languages[item.uri] = item.language_id
        return self._touched(item.uri)

    def change(self, uri: str, version: int, changes: Sequence[types.TextDocumentContentChangeEvent]) -> str | None:
        """Carry out edits in order; the URI of the unit, None for a text that is not open."""
        document = self._texts.get(uri)
        if document is None:
            return None
        text = document.text
        for change in changes:
            text = text.changed(change)
        self._texts[uri] = replace(document, version=version, text=text)
        return self._touched(uri)

    def close(self, uri: str) -> None:
        """Forget a text."""
        self._texts.pop(uri, None)
        self._languages.pop(uri, None)
        self._owner.pop(uri, None)
        self._stamps.pop(uri, None)

    def open_notebook(self, params: types.DidOpenNotebookDocumentParams) -> str:
        """Take a notebook in; its URI."""
        uri = params.notebook_document.uri
        self._notebooks[uri] = _Open(list(params.notebook_document.cells))
        self._adopt(uri, params.cell_text_documents)
        return self._touched(uri)

    def change_notebook(self, params: types.DidChangeNotebookDocumentParams) -> str | None:
        """Carry out a change of a notebook; its URI, None for one that is not open."""
        uri = params.notebook_document.uri
        held, changes = self._notebooks.get(uri), params.change.cells
        if held is None:
            return None
        if changes is not None and changes.structure is not None:
            array = changes.structure.array
            held.cells[array.start : array.start + array.delete_count] = array.cells or []
            self._adopt(uri, changes.structure.did_open or [])
            for gone in changes.structure.did_close or []:
                self.close(gone.uri)
        for cell in (changes and changes.data) or []:
            held.cells = [cell if old.document == cell.document else old for old in held.cells]
        for text in (changes and changes.text_content) or []:
            self.change(text.document.uri, text.document.version, text.changes)
        return self._touched(uri)

    def close_notebook(self, params: types.DidCloseNotebookDocumentParams) -> None:
        """Forget a notebook and its cells."""
        held = self._notebooks.pop(params.notebook_document.uri, _Open())
        self._stamps.pop(params.notebook_document.uri, None)
        for uri in (*(cell.document for cell in held.cells), *(text.uri for text in params.cell_text_documents)):
            self.close(uri)

    def unit(self, uri: str) -> Unit | None:
        """The unit that a text, a cell or a notebook belongs to; None where it is not open, or no Python."""
        uri = self._owner.get(uri, uri)
        stamp = self._stamps.get(uri, 0)
        if uri in self._notebooks:
            cells = enumerate(self._notebooks[uri].cells, 1)
            parts = tuple((number, self._texts[cell.document]) for number, cell in cells if self._is_python(cell))
            return Unit(uri, parts, stamp) if parts else None
        if uri not in self._texts or self._languages.get(uri, "python") not in ("python", ""):
            return None
        return None if uri.endswith(SUFFIX) else Unit(uri, ((0, self._texts[uri]),), stamp)

    def text(self, uri: str) -> Document | None:
        """An open text, whatever its language."""
        return self._texts.get(uri)

    def units(self) -> Iterator[Unit]:
        """All that is open."""
        for uri in [*self._texts, *self._notebooks]:
            unit = self.unit(uri) if uri not in self._owner else None
            if unit is not None:
                yield unit

    def _is_python(self, cell: types.NotebookCell) -> bool:
        code = cell.kind == types.NotebookCellKind.Code and cell.document in self._texts
        return code and self._languages.get(cell.document, "python") == "python"

    def _adopt(self, notebook: str, texts: Sequence[types.TextDocumentItem]) -> None:
        for item in texts:
            self._owner[item.uri] = notebook
            self.open(item)

    def _touched(self, uri: str) -> str:
        uri = self._owner.get(uri, uri)
        self._stamps[uri] = next(self._counter)
        return uri
