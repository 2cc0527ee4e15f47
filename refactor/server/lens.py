"""Code lenses: how often a recorded run broke in each function, where there is a trace."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lsprotocol import types

from ..report.concise import plural
from ..verify.trace import BreakSite, Trace, TraceError, decoded
from .analysis import Analysis

BREAKS = "refactor.breaks"
NAME = Path(".refactor", "trace.json")


@dataclass(frozen=True)
class _Held:
    stamp: tuple[int, int]
    trace: Trace | None


class Traces:
    """The traces that were recorded, read again when they change."""

    def __init__(self) -> None:
        self._held: dict[Path, _Held] = {}

    def above(self, path: Path) -> Trace | None:
        """The nearest trace in a folder of a file or above it; None where there is none that can be read."""
        for folder in path.parents:
            file = folder / NAME
            try:
                status = file.stat()
            except OSError:
                continue
            stamp = (status.st_mtime_ns, status.st_size)
            held = self._held.get(file)
            if held is None or held.stamp != stamp:
                held = self._held[file] = _Held(stamp, _read(file))
            return held.trace
        return None


def _read(file: Path) -> Trace | None:
    try:
        return decoded(file.read_bytes())
    except (OSError, TraceError):
        return None


def lenses(analysis: Analysis, traces: Traces) -> list[types.CodeLens]:
    """A lens above each function in which something was recorded."""
    trace = traces.above(analysis.unit.path)
    if trace is None or analysis.error is not None or analysis.notebook is not None:
        return []
    path = os.path.realpath(analysis.unit.path)
    found = []
    for function in _functions(analysis.source.tree):
        first, last = function.lineno, function.end_lineno or function.lineno
        inner = [own for own in _functions(function) if own is not function]
        lines = set(range(first, last + 1)).difference(
            *(range(own.lineno, (own.end_lineno or own.lineno) + 1) for own in inner)
        )
        sites = [site for run in trace.runs for site in run.breaks if _same(site.path, path) and site.line in lines]
        title = _title(sites, _frames(trace, path, function))
        if title:
            where = analysis.unit.parts[0][1].text.row(first)
            command = types.Command(title, BREAKS, arguments=[list(dict.fromkeys(map(_told, sites)))])
            found.append(types.CodeLens(where, command))
    return found


def _functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))


def _same(recorded: str, path: str) -> bool:
    return os.path.realpath(recorded) == path


@dataclass(frozen=True)
class _Frames:
    skipped: int = 0
    recompiles: int = 0


def _frames(trace: Trace, path: str, function: ast.FunctionDef | ast.AsyncFunctionDef) -> _Frames:
    """What happened to the frames of a function."""
    rows = {function.lineno, *(decorator.lineno for decorator in function.decorator_list)}
    skipped = recompiles = 0
    for run in trace.runs:
        own = {n for n, frame in enumerate(run.frames) if frame.line in rows and _same(frame.path, path)}
        skipped += sum(skip.events for skip in run.skips if skip.frame in own)
        recompiles += sum(recompile.frame in own for recompile in run.recompiles)
    return _Frames(skipped, recompiles)


def _title(sites: list[BreakSite], frames: _Frames) -> str:
    parts = []
    if sites:
        places = len({site.line for site in sites})
        parts.append(f"{plural(places, 'break site')}, {plural(sum(site.events for site in sites), 'break')}")
    if frames.skipped:
        parts.append(plural(frames.skipped, "skipped frame"))
    if frames.recompiles:
        parts.append(plural(frames.recompiles, "recompile"))
    return f"{', '.join(parts)} (recorded)" if parts else ""


def _told(site: BreakSite) -> str:
    return f"line {site.line}: {site.reason}"
