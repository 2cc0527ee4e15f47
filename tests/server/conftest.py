"""A small editor that drives the real server over standard input and output."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from lsprotocol import types
from pytest_lsp import LanguageClient, client_capabilities
from pytest_lsp.client import make_test_lsp_client

PATIENCE_S = 120
_LINE = re.compile(r"\r\n|\r|\n")


def position(text: str, offset: int, encoding: str = "utf-16-le") -> types.Position:
    """The position of an offset, by encoding what stands before it."""
    before = _LINE.split(text[:offset])
    return types.Position(len(before) - 1, len(before[-1].encode(encoding)) // {"utf-16-le": 2, "utf-8": 1}[encoding])


def offset(text: str, place: types.Position, encoding: str = "utf-16-le") -> int:
    """The inverse of `position`."""
    starts = [0, *(found.end() for found in _LINE.finditer(text))]
    if place.line >= len(starts):
        return len(text)
    unit = {"utf-16-le": 2, "utf-8": 1}[encoding]
    row = _LINE.split(text[starts[place.line] :])[0]
    return starts[place.line] + len(row.encode(encoding)[: unit * place.character].decode(encoding))


def edited(text: str, edits: Any, encoding: str = "utf-16-le") -> str:
    """The text after edits, as an editor carries them out."""
    spans = [(offset(text, e.range.start, encoding), offset(text, e.range.end, encoding), e.new_text) for e in edits]
    assert all(one[1] <= other[0] for one, other in zip(sorted(spans), sorted(spans)[1:], strict=False))
    for start, end, new in sorted(spans, reverse=True):
        text = text[:start] + new + text[end:]
    return text


class Editor:
    """What an editor holds open, and what it asks about it."""

    def __init__(self, client: LanguageClient, encoding: str) -> None:
        self.client = client
        self.encoding = encoding
        self.texts: dict[str, str] = {}
        self.versions: dict[str, int] = {}
        # Every set of diagnostics that was sent, in order.
        self.told: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()
        client.protocol.fm.features[types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS] = self._published

    def _published(self, told: types.PublishDiagnosticsParams) -> None:
        self.client.diagnostics[told.uri] = told.diagnostics
        self.told.put_nowait(told)

    def open(self, path: Path, text: str, language: str = "python") -> str:
        uri = path.as_uri()
        self.texts[uri], self.versions[uri] = text, 1
        item = types.TextDocumentItem(uri, language, 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return uri

    def type(self, uri: str, start: int, end: int, new: str) -> None:
        """Replace a range, as an incremental change."""
        text = self.texts[uri]
        where = types.Range(position(text, start, self.encoding), position(text, end, self.encoding))
        self._send(uri, text[:start] + new + text[end:], types.TextDocumentContentChangePartial(where, new))

    def replace(self, uri: str, text: str) -> None:
        """Replace the whole text."""
        self._send(uri, text, types.TextDocumentContentChangeWholeDocument(text))

    def _send(self, uri: str, text: str, change: Any) -> None:
        self.texts[uri] = text
        self.versions[uri] += 1
        document = types.VersionedTextDocumentIdentifier(self.versions[uri], uri)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))

    def close(self, uri: str) -> None:
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))

    async def pull(self, uri: str, previous: str | None = None) -> Any:
        params = types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri), previous_result_id=previous)
        return await self._soon(self.client.text_document_diagnostic_async(params))

    async def places(self, uri: str) -> list[tuple[str | None, int, int]]:
        """(code, line, column) of the diagnostics, from 1, columns in characters."""
        return [self.place(uri, item) for item in (await self.pull(uri)).items]

    def place(self, uri: str, item: types.Diagnostic) -> tuple[str | None, int, int]:
        text = self.texts[uri]
        at = offset(text, item.range.start, self.encoding)
        row = text[:at].rpartition("\n")[2].rpartition("\r")[2]
        return item.code, item.range.start.line + 1, len(row) + 1

    def marked(self, uri: str, item: types.Diagnostic) -> str:
        """The text under a diagnostic."""
        text = self.texts[uri]
        return text[offset(text, item.range.start, self.encoding) : offset(text, item.range.end, self.encoding)]

    async def actions(self, uri: str, start: int, end: int | None = None, only: list[str] | None = None) -> list[Any]:
        text = self.texts[uri]
        where = types.Range(
            position(text, start, self.encoding), position(text, start if end is None else end, self.encoding)
        )
        context = types.CodeActionContext([], only)
        params = types.CodeActionParams(types.TextDocumentIdentifier(uri), where, context)
        return list(await self._soon(self.client.text_document_code_action_async(params)) or [])

    async def resolve(self, action: types.CodeAction) -> types.CodeAction:
        return await self._soon(self.client.code_action_resolve_async(action))

    async def after(self, uri: str, action: types.CodeAction) -> str:
        """The text once an action was chosen; its edits are of the version that is open."""
        edit = (await self.resolve(action)).edit
        assert edit is not None
        (change,) = edit.document_changes
        assert (change.text_document.uri, change.text_document.version) == (uri, self.versions[uri])
        return edited(self.texts[uri], change.edits, self.encoding)

    async def hover(self, uri: str, at: int) -> types.Hover | None:
        place = position(self.texts[uri], at, self.encoding)
        params = types.HoverParams(types.TextDocumentIdentifier(uri), place)
        return await self._soon(self.client.text_document_hover_async(params))

    async def command(self, name: str, *arguments: Any) -> Any:
        params = types.ExecuteCommandParams(name, arguments=list(arguments))
        return await self._soon(self.client.workspace_execute_command_async(params))

    async def published(self, uri: str, version: int | None = None) -> list[types.Diagnostic]:
        """The next diagnostics that are sent for a text; for a version, those of that one."""

        async def wait() -> list[types.Diagnostic]:
            while True:
                told = await self.told.get()
                if told.uri == uri and (version is None or told.version == version):
                    return list(told.diagnostics)

        return await self._soon(wait())

    @staticmethod
    async def _soon(answer: Any) -> Any:
        return await asyncio.wait_for(answer, PATIENCE_S)


def capabilities(**changes: Any) -> types.ClientCapabilities:
    """What VS Code says that it can do; `changes` set a field by its path, with underscores for dots doubled."""
    found = client_capabilities("visual-studio-code")
    found.notebook_document = types.NotebookDocumentClientCapabilities(
        types.NotebookDocumentSyncClientCapabilities(execution_summary_support=True)
    )
    for path, value in changes.items():
        *parents, name = path.split("__")
        owner: Any = found
        for parent in parents:
            owner = getattr(owner, parent)
        setattr(owner, name, value)
    return found


Start = Callable[..., Any]


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def start() -> AsyncIterator[Start]:
    """Start a server for an editor; further arguments are those of `capabilities`, `options` are initial settings."""
    running: list[LanguageClient] = []

    async def begin(root: Path, options: Any = None, encoding: str = "utf-16-le", **changes: Any) -> Editor:
        client = make_test_lsp_client()

        @client.feature(types.CLIENT_REGISTER_CAPABILITY)
        def registered(params: types.RegistrationParams) -> None:
            client.registrations = [*getattr(client, "registrations", []), *params.registrations]

        await client.start_io(sys.executable, "-m", "refactor", "server")
        await client.initialize_session(
            types.InitializeParams(
                capabilities=capabilities(**changes),
                workspace_folders=[types.WorkspaceFolder(root.as_uri(), root.name)],
                initialization_options=options,
            )
        )
        running.append(client)
        return Editor(client, encoding)

    yield begin
    for client in running:
        await client.shutdown_session()
        await client.stop()


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the editor has open."""
    return tmp_path_factory.mktemp("root")


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def editor(start: Start, root: Path) -> Editor:
    """An editor that asks for diagnostics, as most do."""
    return await start(root)
