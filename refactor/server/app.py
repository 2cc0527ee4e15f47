"""The server as pygls runs it: every feature by its name in the protocol."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import os
import sys
import tempfile
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls import uris
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from .. import __version__
from ..collecting import collect_rarely
from ..errors import UserError
from . import actions, hover, lens, verification
from .analysis import Analysis
from .client import Client
from .protocol import Protocol
from .session import Session

VERIFY = "refactor.verify"
_NOTEBOOKS = types.NotebookDocumentSyncOptions(
    [types.NotebookDocumentFilterWithNotebook("jupyter-notebook", [types.NotebookCellLanguage("python")])], save=False
)
_FILES = types.FileOperationRegistrationOptions(
    [types.FileOperationFilter(types.FileOperationPattern("**/*.{py,ipynb}"), "file")]
)
_WATCHED = ("**/pyproject.toml", f"**/{lens.NAME.as_posix()}")


class App:
    """The handlers of a session's requests and notifications."""

    def __init__(self, server: LanguageServer) -> None:
        self.server = server
        self.session = Session(server)
        self._pages: tempfile.TemporaryDirectory[str] | None = None

    def initialize(self, params: types.InitializeParams) -> None:
        """The editor says what it can do."""
        self.session.client = Client(params.capabilities)
        encoding = self.server.workspace.position_encoding
        self.session.documents.encoding = encoding or types.PositionEncodingKind.Utf16
        self._configure(params.initialization_options)

    async def initialized(self, _params: types.InitializedParams) -> None:
        """Ask to be told of changed files, and have ready what the first quick fix needs."""
        if self.session.client.watches:
            watchers = [types.FileSystemWatcher(pattern) for pattern in _WATCHED]
            watchers.append(types.FileSystemWatcher("**/*.{py,ipynb}", types.WatchKind.Delete))
            registration = types.Registration(
                str(uuid.uuid4()),
                types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
                types.DidChangeWatchedFilesRegistrationOptions(watchers),
            )
            with contextlib.suppress(JsonRpcException):
                await self.server.client_register_capability_async(types.RegistrationParams([registration]))
        await self.session.aside(importlib.import_module, "refactor.transforms.craft.bench")

    def configured(self, params: types.DidChangeConfigurationParams) -> None:
        """The editor's own settings changed."""
        settings = params.settings
        self._configure(settings.get("refactor") if isinstance(settings, dict) else None)
        self.session.refresh()

    def _configure(self, given: object) -> None:
        table = given.get("settings", given) if isinstance(given, dict) else {}
        try:
            self.session.settings.override(table if isinstance(table, dict) else {})
        except UserError as error:
            self.session.say(f"refactor: {error}", types.MessageType.Error)

    def opened(self, params: types.DidOpenTextDocumentParams) -> None:
        """A text is open."""
        self.session.touched(self.session.documents.open(params.text_document), 0.0)

    def changed(self, params: types.DidChangeTextDocumentParams) -> None:
        """Somebody types."""
        document = params.text_document
        self.session.touched(self.session.documents.change(document.uri, document.version, params.content_changes))

    def saved(self, params: types.DidSaveTextDocumentParams) -> None:
        """A file was written."""
        if params.text_document.uri.endswith("/pyproject.toml"):
            self.session.refresh()

    def closed(self, params: types.DidCloseTextDocumentParams) -> None:
        """A text is closed."""
        self.session.documents.close(params.text_document.uri)
        self.session.forget(params.text_document.uri)

    def notebook_opened(self, params: types.DidOpenNotebookDocumentParams) -> None:
        """A notebook is open."""
        self.session.touched(self.session.documents.open_notebook(params), 0.0)

    def notebook_changed(self, params: types.DidChangeNotebookDocumentParams) -> None:
        """A cell was typed in, added, moved or removed."""
        uri = self.session.documents.change_notebook(params)
        structure = params.change.cells and params.change.cells.structure
        for gone in (structure and structure.did_close) or []:
            self.session.forget(gone.uri)
        self.session.touched(uri)

    def notebook_closed(self, params: types.DidCloseNotebookDocumentParams) -> None:
        """A notebook is closed."""
        self.session.documents.close_notebook(params)
        for uri in (params.notebook_document.uri, *(text.uri for text in params.cell_text_documents)):
            self.session.forget(uri)

    def renamed(self, params: types.RenameFilesParams) -> None:
        """Files have other names; the editor closes and opens what it has open of them by itself."""
        for file in params.files:
            self.session.forget(file.old_uri)
        self.session.refresh()

    def deleted(self, params: types.DeleteFilesParams) -> None:
        """Files are gone."""
        for file in params.files:
            self.session.forget(file.uri)

    def watched(self, params: types.DidChangeWatchedFilesParams) -> None:
        """Files changed on disk: settings, a trace, or sources that are gone."""
        for change in params.changes:
            if change.type == types.FileChangeType.Deleted and self.session.documents.unit(change.uri) is None:
                self.session.forget(change.uri)
        if any(change.uri.endswith("/pyproject.toml") for change in params.changes):
            self.session.refresh()
        if self.session.client.refreshes_lenses and any(c.uri.endswith("/trace.json") for c in params.changes):
            self.server.workspace_code_lens_refresh(None)

    async def diagnose(self, params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        """The editor asks for the diagnostics of a text."""
        name, told = await self.session.found(params.text_document.uri)
        if name and name == params.previous_result_id:
            return types.RelatedUnchangedDocumentDiagnosticReport(result_id=name)
        items = told.get(params.text_document.uri, [])
        return types.RelatedFullDocumentDiagnosticReport(items=items, result_id=name or None)

    async def offer(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        """What can be done about a range."""
        analysis = await self.session.analysis(params.text_document.uri)
        if analysis is None:
            return []
        uri, client = params.text_document.uri, self.session.client
        return await self.session.aside(actions.offered, analysis, uri, params, client)

    async def resolve(self, action: types.CodeAction) -> types.CodeAction:
        """The edit of an action that was chosen.

        Raises:
            JsonRpcException: the text is another one by now.
        """
        data = action.data if isinstance(action.data, dict) else {}
        analysis = await self.session.analysis(data.get("uri", ""))
        if analysis is None or analysis.unit.stamp != data.get("stamp"):
            raise JsonRpcException("the text has changed since", types.LSPErrorCodes.ContentModified.value)
        try:
            return await self.session.aside(actions.resolved, analysis, action, self.session.client)
        except actions.Refused as refused:
            self.session.say(f"{action.title}: {refused}", types.MessageType.Warning)
            return action

    async def show(self, params: types.HoverParams) -> types.Hover | None:
        """What is to be said about a place."""
        analysis = await self.session.analysis(params.text_document.uri)
        if analysis is None:
            return None
        return await self.session.aside(hover.hover, analysis, params.text_document.uri, params.position)

    async def lenses(self, params: types.CodeLensParams) -> list[types.CodeLens]:
        """What a recorded run did in each function."""
        analysis = await self.session.analysis(params.text_document.uri)
        return [] if analysis is None else await self.session.aside(lens.lenses, analysis, self.session.traces)

    async def explain(self, *arguments: Any) -> dict[str, Any]:
        """`refactor.explain CODE`: open the page of a rule; the answer is the page."""
        from ..report.rules import pages

        page = next((page for page in pages() if page.code == (arguments or ("",))[0]), None)
        if page is None:
            raise JsonRpcException(f"no rule is called {arguments}", types.ErrorCodes.InvalidRequest.value)
        if self.session.client.shows_documents:
            self._pages = self._pages or tempfile.TemporaryDirectory(prefix="refactor-rules-")
            file = Path(self._pages.name, f"{page.name}.md")
            file.write_text(page.markdown, "utf-8")
            uri = uris.from_fs_path(str(file)) or ""
            await self.server.window_show_document_async(types.ShowDocumentParams(uri, take_focus=True))
        else:
            self.session.say(page.markdown)
        return page.plain()

    async def breaks(self, *arguments: Any) -> None:
        """`refactor.breaks REASONS`: say what a lens counts."""
        told = arguments[0] if arguments and isinstance(arguments[0], list) else []
        self.session.say("\n".join(map(str, told)) or "no break was recorded here")

    async def verify(self, *arguments: Any) -> dict[str, str]:
        """`refactor.verify URI`: run the original against the rewrite, in a child process."""
        analysis = await self.session.analysis(str((arguments or ("",))[0]))
        if analysis is None or analysis.error is not None or not verification.runnable(analysis.unit.path):
            wrong = analysis.error if analysis is not None else None
            reason = wrong.message if wrong else "only an open Python file can be verified"
            self.session.say(reason, types.MessageType.Error)
            return {"status": "", "message": reason}
        token, cancelled = await self._begin(analysis)
        message = "cancelled"
        try:
            answer = await verification.verify(analysis, cancelled)
            if answer is None:
                return {"status": "", "message": message}
            message = answer.message
        finally:
            if token is not None:
                self.server.work_done_progress.end(token, types.WorkDoneProgressEnd(message=message))
        self.session.judged(analysis, answer.diagnostics)
        self.session.say(answer.message, answer.kind)
        return {"status": answer.status, "message": answer.message}

    async def _begin(self, analysis: Analysis) -> tuple[str | None, asyncio.Future[Any]]:
        """Begin progress where the editor shows it: its token, and what is done once somebody cancels."""
        if not self.session.client.shows_progress:
            return None, asyncio.get_running_loop().create_future()
        token = str(uuid.uuid4())
        progress = self.server.work_done_progress
        await progress.create_async(token)
        title = f"Verifying {analysis.unit.path.name}"
        progress.begin(token, types.WorkDoneProgressBegin(title, cancellable=True, message="running old against new"))
        return token, _done(progress.tokens[token])


def _done(cancelled: Any) -> asyncio.Future[None]:
    """A future that is done once the one of another thread's kind is cancelled."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()

    def settle() -> None:
        if not done.done():
            done.set_result(None)

    cancelled.add_done_callback(lambda _: loop.call_soon_threadsafe(settle))
    return done


def build() -> LanguageServer:
    """The server with everything that it can do."""
    server = Server("refactor", __version__, notebook_document_sync=_NOTEBOOKS, protocol_cls=Protocol)
    app = App(server)
    kinds = types.CodeActionOptions(list(actions.KINDS), resolve_provider=True)
    asked = types.DiagnosticOptions(inter_file_dependencies=False, workspace_diagnostics=False, identifier="refactor")
    features: list[tuple[str, Callable[..., Any], Any]] = [
        (types.INITIALIZE, app.initialize, None),
        (types.INITIALIZED, app.initialized, None),
        (types.WORKSPACE_DID_CHANGE_CONFIGURATION, app.configured, None),
        (types.TEXT_DOCUMENT_DID_OPEN, app.opened, None),
        (types.TEXT_DOCUMENT_DID_CHANGE, app.changed, None),
        (types.TEXT_DOCUMENT_DID_SAVE, app.saved, None),
        (types.TEXT_DOCUMENT_DID_CLOSE, app.closed, None),
        (types.NOTEBOOK_DOCUMENT_DID_OPEN, app.notebook_opened, None),
        (types.NOTEBOOK_DOCUMENT_DID_CHANGE, app.notebook_changed, None),
        (types.NOTEBOOK_DOCUMENT_DID_CLOSE, app.notebook_closed, None),
        (types.WORKSPACE_DID_RENAME_FILES, app.renamed, _FILES),
        (types.WORKSPACE_DID_DELETE_FILES, app.deleted, _FILES),
        (types.WORKSPACE_DID_CHANGE_WATCHED_FILES, app.watched, None),
        (types.TEXT_DOCUMENT_DIAGNOSTIC, app.diagnose, asked),
        (types.TEXT_DOCUMENT_CODE_ACTION, app.offer, kinds),
        (types.CODE_ACTION_RESOLVE, app.resolve, None),
        (types.TEXT_DOCUMENT_HOVER, app.show, None),
        (types.TEXT_DOCUMENT_CODE_LENS, app.lenses, types.CodeLensOptions()),
    ]
    for name, handler, options in features:
        server.feature(name, options)(_free(handler))
    for name, handler in ((VERIFY, app.verify), (actions.EXPLAIN, app.explain), (lens.BREAKS, app.breaks)):
        server.command(name)(_free_command(handler))
    return server


def _free(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method as a plain function, which pygls can put its marks on."""
    if asyncio.iscoroutinefunction(method):

        async def later(params: Any) -> Any:
            return await method(params)

        return later

    def at_once(params: Any) -> Any:
        return method(params)

    return at_once


def _free_command(method: Callable[..., Any]) -> Callable[..., Any]:
    async def run(*arguments: Any) -> Any:
        return await method(*arguments)

    return run


class Server(LanguageServer):
    """A server that tells of its own faults in the log, where nobody has to click them away."""

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Note a fault."""
        told = f"{getattr(source, '__name__', source)}: {error}"
        self.window_log_message(types.LogMessageParams(types.MessageType.Error, told))


def serve() -> None:
    """Serve one editor over standard input and output until it goes."""
    # Whatever else is printed must not get between the messages.
    speaking = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    server = build()
    collect_rarely()
    server.start_io(stdin=sys.stdin.buffer, stdout=speaking)
