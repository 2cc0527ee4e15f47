"""One editor's session: what is open, what is known of it, and what is told."""

from __future__ import annotations

import asyncio
import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types
from pygls import uris
from pygls.lsp.server import LanguageServer

from ..engine import Options
from ..errors import UserError
from . import diagnostics
from .analysis import Analysis, kept
from .client import Client
from .documents import Documents, Unit
from .lens import Traces
from .settings import Settings
from .text import Text

# While somebody types, a text is looked at once this long nothing has changed.
DEBOUNCE_S = 0.12
Result = TypeVar("Result")


class Session:
    """The state of a session, and diagnostics; the features that build on it have functions of their own."""

    def __init__(self, server: LanguageServer) -> None:
        self.server = server
        self.documents = Documents()
        self.settings = Settings()
        self.traces = Traces()
        self.client = Client(types.ClientCapabilities())
        self._analyses: dict[str, Analysis] = {}
        self._good: dict[str, Analysis] = {}
        self._verdicts: dict[str, tuple[int, tuple[types.Diagnostic, ...]]] = {}
        self._waiting: dict[str, asyncio.Task[None]] = {}
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._wrong_settings: dict[str, types.Diagnostic] = {}
        self._published: set[str] = set()
        self._round = itertools.count(1)
        self._generation = 0
        # One thread: analyses wait for each other anyhow, and an older one is known to be stale when its turn comes.
        self._worker = ThreadPoolExecutor(1, "analysis")

    async def aside(self, function: Callable[..., Result], *arguments: Any) -> Result:
        """Compute something without keeping the editor waiting for other answers."""
        return await asyncio.get_running_loop().run_in_executor(self._worker, function, *arguments)

    async def analysis(self, uri: str) -> Analysis | None:
        """The analysis of what a URI stands for, as it is when the answer is given; None where it is not open."""
        while True:
            unit = self.documents.unit(uri)
            if unit is None:
                return None
            async with self._locks[unit.uri]:
                options, error = self.settings.options(unit.path)
                self._tell_settings(unit.path, error)
                held = self._analyses.get(unit.uri)
                if options is None:
                    return None
                if held is None or held.unit.stamp != unit.stamp or held.options != options:
                    held = await self.aside(self._look, unit, options)
                if held is None or not self._current(unit):
                    continue
                self._keep(held)
                return held

    def _look(self, unit: Unit, options: Options) -> Analysis | None:
        """Analyse, unless the text is another one by the time that it is its turn."""
        return Analysis(unit, options) if self._current(unit) else None

    def _current(self, unit: Unit) -> bool:
        now = self.documents.unit(unit.uri)
        return now is not None and now.stamp == unit.stamp

    def _keep(self, made: Analysis) -> None:
        uri = made.unit.uri
        if made.crash and self._analyses.get(uri) is not made:
            self.log(made.crash)
        self._analyses[uri] = made
        if made.error is None:
            self._good[uri] = made

    async def found(self, uri: str) -> tuple[str, Mapping[str, list[types.Diagnostic]]]:
        """The diagnostics of each text of a unit, and a name for this answer; the same answer has the same name."""
        analysis = await self.analysis(uri)
        if analysis is None:
            return "", {}
        unit, last = analysis.unit, self._good.get(analysis.unit.uri)
        located = kept(last, unit) if analysis.error is not None and last is not None else analysis.located
        told = dict(await self.aside(diagnostics.of, analysis, located, self.client.relates))
        stamp, verdict = self._verdicts.get(unit.uri, (0, ()))
        if verdict and stamp == unit.stamp:
            first = unit.parts[0][1].uri
            told[first] = [*told.get(first, ()), *verdict]
        judged = len(verdict) if stamp == unit.stamp else 0
        return f"{self._generation}.{unit.stamp}.{judged}.{hash(analysis.options)}", told

    def touched(self, uri: str | None, delay_s: float = DEBOUNCE_S) -> None:
        """Something changed: an editor that does not ask gets its diagnostics after a while of quiet."""
        if uri is None or self.client.pulls:
            return
        waiting = self._waiting.pop(uri, None)
        if waiting is not None:
            waiting.cancel()
        self._waiting[uri] = asyncio.ensure_future(self._publish(uri, delay_s))

    async def _publish(self, uri: str, delay_s: float) -> None:
        await asyncio.sleep(delay_s)
        _, told = await self.found(uri)
        unit = self.documents.unit(uri)
        for _, document in unit.parts if unit else ():
            self.publish(document.uri, told.get(document.uri, []), document.version)

    def publish(self, uri: str, found: Iterable[types.Diagnostic], version: int | None = None) -> None:
        """Send the diagnostics of one text."""
        self._published.add(uri)
        told = types.PublishDiagnosticsParams(uri, list(found), version)
        self.server.text_document_publish_diagnostics(told)

    def forget(self, uri: str) -> None:
        """A text is closed, renamed or gone: nothing is said about it any more."""
        waiting = self._waiting.pop(uri, None)
        if waiting is not None:
            waiting.cancel()
        for held in (self._analyses, self._good, self._verdicts, self._locks):
            held.pop(uri, None)
        if uri in self._published:
            self.publish(uri, ())
            self._published.discard(uri)

    def judged(self, analysis: Analysis, told: tuple[types.Diagnostic, ...]) -> None:
        """Keep what a verification said until the text changes."""
        self._verdicts[analysis.unit.uri] = (analysis.unit.stamp, told)
        self.refresh((analysis.unit.uri,))

    def refresh(self, some: Iterable[str] | None = None) -> None:
        """Everything, or what some URIs stand for, is to be looked at again."""
        self._generation = next(self._round)
        if self.client.pulls:
            if self.client.refreshes_diagnostics:
                self.server.workspace_diagnostic_refresh(None)
            return
        for uri in [unit.uri for unit in self.documents.units()] if some is None else some:
            self.touched(uri, 0.0)

    def _tell_settings(self, path: Path, error: UserError | None) -> None:
        """Show an error of the settings in their file, and take it away once it is mended."""
        file = str(error.path).partition(":")[0] if error and error.path else ""
        at = uris.from_fs_path(file) if file.endswith(".toml") and Path(file).is_file() else None
        for old in [uri for uri in self._wrong_settings if uri != at and _governs(uri, path)]:
            del self._wrong_settings[old]
            self.publish(old, ())
        if error is None:
            return None
        if at is None:
            return self.say(str(error), types.MessageType.Error)
        told = diagnostics.of_settings(error, self._text(at, Path(file)))
        if self._wrong_settings.get(at) != told:
            self._wrong_settings[at] = told
            self.publish(at, [told])
        return None

    def _text(self, uri: str, file: Path) -> Text | None:
        document = self.documents.text(uri)
        if document is not None:
            return document.text
        try:
            return Text(file.read_text("utf-8"), self.documents.encoding)
        except (OSError, UnicodeDecodeError):
            return None

    def say(self, message: str, kind: types.MessageType = types.MessageType.Info) -> None:
        """Show a message."""
        self.server.window_show_message(types.ShowMessageParams(kind, message))

    def log(self, message: str) -> None:
        """Note something for whoever looks for a fault."""
        self.server.window_log_message(types.LogMessageParams(types.MessageType.Error, message))


def _governs(settings_uri: str, path: Path) -> bool:
    """Whether a settings file stands above a source file."""
    file = uris.to_fs_path(settings_uri)
    return file is not None and Path(file).parent in path.parents
