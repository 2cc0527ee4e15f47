"""The one meter: what Dynamo makes of some calls (facts: rewrite facts, section 10)."""

from __future__ import annotations

import contextlib
import json
import logging
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.profiler import ProfilerActivity, profile, record_function

from .verdict import Counts, Site

_LOCATION = re.compile(r"Graph break in user code at (.+?):(\d+)")
_REASON = re.compile(r"^(?:Graph Break )?Reason: (.*)", re.MULTILINE)
_FRAME = re.compile(r'File "([^"]+)", line (\d+), in ')
_GRAPH = "METER_GRAPH"
# Time that Dynamo itself spends inside a profiled call; what runs below is no work of the user's.
_OVERHEAD = ("(dynamo_timed)", "Pregraph bytecode")

Locate = Callable[[str], str]


@dataclass
class Meter:
    """Listens to the structured trace of Dynamo and hands out a counting backend.

    Attributes:
        locate: turns a file name of the trace into the user's.
        graphs: the number of calls in each graph that was handed to the backend.
        events: (frame id, text) of each break.
        frames: the compilation metrics of each frame.
        recompiles: (frame id, guard) of each recompile.
    """

    locate: Locate = str
    graphs: list[int] = field(default_factory=list)
    events: list[tuple[Any, str]] = field(default_factory=list)
    frames: list[tuple[Any, dict[str, Any]]] = field(default_factory=list)
    recompiles: list[tuple[Any, str]] = field(default_factory=list)
    captured: int = 0
    operators: int = 0

    def backend(self, graph: torch.fx.GraphModule, _inputs: Sequence[Any], **_: Any) -> Callable[..., Any]:
        """Count a graph and run it as it is; give this to `torch.compile(backend=...)`."""
        self.graphs.append(sum(node.op.startswith("call_") for node in graph.graph.nodes))

        def run(*args: Any) -> Any:
            with record_function(_GRAPH):
                return graph.forward(*args)

        return run

    def __deepcopy__(self, memo: dict[int, Any]) -> Meter:
        # Some trainers deep-copy the arguments of torch.compile; the copy must still count here.
        return self

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Count what Dynamo does until the block ends; starts from an empty cache."""
        torch._dynamo.reset()
        logger = logging.getLogger("torch.__trace")
        handler, level = _Handler(self), logger.level
        logger.addHandler(handler)
        logger.setLevel(logging.DEBUG)
        try:
            yield
        finally:
            logger.removeHandler(handler)
            logger.setLevel(level)

    def profiled(self, steady_pass: Callable[[], None]) -> None:
        """Run a pass over the calls whose graphs are compiled already, and count its operators in and out of graphs."""
        with profile(activities=[ProfilerActivity.CPU]) as profiler:
            steady_pass()
        for event in profiler.events() or ():
            if not event.name.startswith("aten::"):
                continue
            above = list(_ancestors(event))
            if any(name.startswith("aten::") or any(part in name for part in _OVERHEAD) for name in above):
                continue
            self.operators += 1
            self.captured += _GRAPH in above

    def counts(self) -> Counts:
        """The figures so far."""
        rows = self._breaks()
        located = sorted({Site(self.locate(path), line, reason) for path, line, reason in rows.values() if path})
        failed = [metrics for _, metrics in self.frames if metrics.get("fail_reason")]
        limited = sum(
            "recompile limit" in str(m["fail_reason"]) or "recompile_limit" in str(m["fail_reason"]) for m in failed
        )
        return Counts(
            graphs=len(self.graphs),
            break_sites=tuple(located),
            break_events=len(rows),
            skipped_frames=len(failed) - limited,
            recompiles=len(self.recompiles),
            limit_hits=limited,
            captured_ratio=round(self.captured / self.operators, 6) if self.operators else None,
        )

    def _breaks(self) -> dict[tuple[Any, str, int], tuple[str, int, str]]:
        """One row per frame and location: (file, line, reason)."""
        rows: dict[tuple[Any, str, int], tuple[str, int, str]] = {}
        for frame, text in self.events:
            path, line = _place(text)
            found = _REASON.search(text)
            reason = (found.group(1) if found else text.split("\n")[0]).strip()
            rows.setdefault((frame, path, line), (path, line, reason))
        return rows


@contextlib.contextmanager
def user_compiles(backend: Callable[..., Any] | str | None) -> Iterator[list[Any]]:
    """Until the block ends, `torch.compile` in user code compiles with `backend`, or not at all where that is None.

    Yields the list of what user code asked to compile: where it is not empty, the user chose the entry already.
    """
    real = torch.compile
    asked: list[Any] = []

    def compile(model: Any = None, **options: Any) -> Any:  # noqa: A001  # stands in for torch.compile
        if model is None:
            return lambda later: compile(later, **options)
        asked.append(model)
        if backend is None:
            return model
        return real(model, backend=backend, dynamic=options.get("dynamic"))

    torch.compile = compile
    try:
        yield asked
    finally:
        torch.compile = real


class _Handler(logging.Handler):
    def __init__(self, meter: Meter) -> None:
        super().__init__(logging.DEBUG)
        self._meter = meter

    def emit(self, record: logging.LogRecord) -> None:
        data = getattr(record, "metadata", None) or {}
        text = getattr(record, "payload", None) or ""
        frame = (data.get("frame_id"), data.get("frame_compile_id"))
        name = (data.get("artifact") or {}).get("name")
        if name in ("dynamo_graph_break_reason", "dynamo_error"):
            self._meter.events.append((frame, text))
        elif name == "recompile_reasons":
            self._meter.recompiles.append((frame, _guard(text)))
        elif "compilation_metrics" in data:
            self._meter.frames.append((frame, data["compilation_metrics"]))


def _place(text: str) -> tuple[str, int]:
    """File and line of a break; ("", 0) where the trace names no user code."""
    found = _LOCATION.search(text)
    if found:
        return found.group(1), int(found.group(2))
    frames = [(path, line) for path, line in _FRAME.findall(text) if "/torch/" not in path and not path.startswith("<")]
    return (frames[-1][0], int(frames[-1][1])) if frames else ("", 0)


def _guard(text: str) -> str:
    """The payload is a text, or a JSON list of texts, by release."""
    with contextlib.suppress(ValueError):
        data = json.loads(text)
        if isinstance(data, list):
            return str(data[0]) if data else ""
    return text


def _ancestors(event: Any) -> Iterator[str]:
    event = event.cpu_parent
    while event is not None:
        yield event.name
        event = event.cpu_parent
