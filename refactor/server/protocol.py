"""The protocol of pygls without its own copy of the open documents: it splits lines where the protocol does not."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from lsprotocol import types
from pygls.protocol import LanguageServerProtocol, lsp_method

Handed = Generator[Any, Any, None]


class Protocol(LanguageServerProtocol):
    """Hands what is opened, changed and closed to the features of those names, which keep the documents."""

    def _hand(self, name: str, params: object) -> Handed:
        handler = self.fm.features.get(name)
        if handler is not None:
            yield handler, (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> Handed:
        """A text is open."""
        yield from self._hand(types.TEXT_DOCUMENT_DID_OPEN, params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> Handed:
        """A text changed."""
        yield from self._hand(types.TEXT_DOCUMENT_DID_CHANGE, params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> Handed:
        """A text is closed."""
        yield from self._hand(types.TEXT_DOCUMENT_DID_CLOSE, params)

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    def lsp_notebook_document__did_open(self, params: types.DidOpenNotebookDocumentParams) -> Handed:
        """A notebook is open."""
        yield from self._hand(types.NOTEBOOK_DOCUMENT_DID_OPEN, params)

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def lsp_notebook_document__did_change(self, params: types.DidChangeNotebookDocumentParams) -> Handed:
        """A notebook changed."""
        yield from self._hand(types.NOTEBOOK_DOCUMENT_DID_CHANGE, params)

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def lsp_notebook_document__did_close(self, params: types.DidCloseNotebookDocumentParams) -> Handed:
        """A notebook is closed."""
        yield from self._hand(types.NOTEBOOK_DOCUMENT_DID_CLOSE, params)
