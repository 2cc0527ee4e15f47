"""`refactor.verify`: the command line, run on an open text in a child process that can be cancelled."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import Awaitable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from lsprotocol import types

from ..report import summary
from ..verify.verdict import Verdict, verdict_from
from .analysis import Analysis
from .diagnostics import SOURCE

# The working directory must not be searched for modules: it may hold a `refactor` of the user's own.
_CHILD = "import sys; del sys.path[0]; from refactor.cli import main; main()"
_LOUD = {
    "VERIFIED": (types.MessageType.Info, types.DiagnosticSeverity.Information),
    "UNVERIFIED": (types.MessageType.Warning, types.DiagnosticSeverity.Warning),
    "REFUTED": (types.MessageType.Error, types.DiagnosticSeverity.Error),
}
_END_S = 5.0


@dataclass(frozen=True)
class Answer:
    """What came of a verification.

    Attributes:
        status: that of the verdict; empty where nothing was judged.
        message: one line.
        diagnostics: of the text that was verified.
    """

    status: str
    message: str
    kind: types.MessageType = types.MessageType.Info
    diagnostics: tuple[types.Diagnostic, ...] = ()


async def verify(analysis: Analysis, cancelled: Awaitable[Any]) -> Answer | None:
    """Verify a file as `refactor apply` would rewrite it; None where that was cancelled.

    The child and everything it started are ended with the coroutine, however that ends.
    """
    path = analysis.unit.path
    arguments = ("apply", "-", "--stdin-filename", str(path), "--verify", "auto", "--output-format", "json")
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", _CHILD, *arguments),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=path.parent if path.parent.is_dir() else None,
        start_new_session=True,
    )
    talk = asyncio.ensure_future(child.communicate(analysis.text.encode("utf-8", "surrogatepass")))
    stop = asyncio.ensure_future(cancelled)
    try:
        await asyncio.wait({talk, stop}, return_when=asyncio.FIRST_COMPLETED)
        if not talk.done():
            return None
        output, errors = talk.result()
    finally:
        stop.cancel()
        await _end(child, talk)
    return _answer(analysis, output, errors.decode("utf-8", "replace"))


async def _end(child: asyncio.subprocess.Process, talk: asyncio.Future[Any]) -> None:
    """End a child with its session, where it has not ended by itself."""
    if child.returncode is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
    talk.cancel()
    with contextlib.suppress(asyncio.TimeoutError, asyncio.CancelledError):
        await asyncio.wait_for(asyncio.shield(child.wait()), _END_S)


def _answer(analysis: Analysis, output: bytes, errors: str) -> Answer:
    try:
        document = json.loads(output)
        found = next(iter(document["files"]), None)
    except (ValueError, KeyError):
        return Answer("", errors.strip().splitlines()[-1] if errors.strip() else "no answer", types.MessageType.Error)
    for error in document["errors"]:
        return Answer("", error["message"], types.MessageType.Error)
    name = analysis.unit.path.name
    if found is None or (not found["changed"] and not found["verdict"]):
        reasons = [item["reason"] for item in found["left"]] if found else []
        return Answer("", f"{name}: nothing was rewritten{f' ({reasons[0]})' if reasons else ''}")
    if found["verdict"] is None:
        return Answer("", f"{name}: nothing could be run; {'; '.join(found['notes'])}", types.MessageType.Warning)
    verdict = _verdict(found["verdict"])
    kind, severity = _LOUD[verdict.status]
    line = click.unstyle(summary.verdict_line(name, verdict))
    text = analysis.unit.parts[0][1].text
    whole = "\n".join([line, *(reason.strip() for reason in summary.verdict_details(verdict))])
    told = [types.Diagnostic(text.row(1), whole, severity, "verdict", source=SOURCE)]
    for item in found["left"]:
        if item["dropped"]:
            words = f"taken back: {item['reason']}\n{item['remedy']}".strip()
            told.append(_taken_back(analysis, item, words))
    return Answer(verdict.status, line, kind, tuple(told))


def _taken_back(analysis: Analysis, item: dict[str, Any], words: str) -> types.Diagnostic:
    """At the finding itself, where the rewrite has not moved it; else at the start of the text."""
    same = [own for own in analysis.located if own.finding.code == item["code"] and own.finding.name == item["name"]]
    where = same[0].range if len(same) == 1 else analysis.unit.parts[0][1].text.row(1)
    return types.Diagnostic(where, words, types.DiagnosticSeverity.Warning, item["code"], source=SOURCE)


def _verdict(plain: dict[str, Any]) -> Verdict:
    return verdict_from({key: value for key, value in plain.items() if key != "gains"})


def runnable(path: Path) -> bool:
    """True for what can be verified: notebooks are not run."""
    return path.suffix != ".ipynb"
