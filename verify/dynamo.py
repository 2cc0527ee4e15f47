"""The one meter: what Dynamo makes of some calls (facts: rewrite facts, section 10)."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.profiler import ProfilerActivity, profile, record_function

from .readings import cuts
from .structured import Broke, Event, Failed, Finished, Key, Listener
from .verdict import Counts, Site

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
        events: the compilation and the text of each break.
        frames: the end of each compilation.
        recompiles: the failed guards of each recompile.
    """

    locate: Locate = str
    graphs: list[int] = field(default_factory=list)
    events: list[tuple[Key, str]] = field(default_factory=list)
    frames: list[Finished] = field(default_factory=list)
    recompiles: list[Failed] = field(default_factory=list)
    captured: int = 0
    operators: int = 0
    calls: int = 0

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
        with Listener(self._hear).attached():
            yield

    def _hear(self, event: Event) -> None:
        if isinstance(event, Broke):
            self.events.append((event.key, event.text))
        elif isinstance(event, Failed):
            self.recompiles.append(event)
        elif isinstance(event, Finished):
            self.frames.append(event)

    def profiled(self, steady_pass: Callable[[], None], calls: int) -> None:
        """Run a pass over the calls whose graphs are compiled already, and count its operators in and out of graphs."""
        self.calls += calls
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
        rows = cuts(self.events)
        located = sorted({Site(self.locate(row.path), row.line, row.reason) for row in rows.values() if row.path})
        # Some releases skip a loop with a break in it, and give up at the limit, without calling it a failure.
        broken, ended = {key for key, _ in self.events}, {frame.key for frame in self.frames}
        failed = [frame for frame in self.frames if frame.failure or (not frame.has_code and frame.key in broken)]
        limited = sum(frame.limited for frame in failed)
        unended = sum(recompile.key not in ended for recompile in self.recompiles)
        return Counts(
            graphs=len(self.graphs),
            break_sites=tuple(located),
            break_events=len(rows),
            skipped_frames=len(failed) - limited,
            recompiles=len(self.recompiles),
            limit_hits=limited + unended,
            captured_ratio=round(self.captured / self.operators, 6) if self.operators else None,
            uncaptured=round((self.operators - self.captured) / self.calls, 3) if self.calls else None,
        )


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


def _ancestors(event: Any) -> Iterator[str]:
    event = event.cpu_parent
    while event is not None:
        yield event.name
        event = event.cpu_parent
