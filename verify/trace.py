"""What a recorded run is made of: the schema of `.refactor/trace.json`, as plain data. No torch here.

A file holds one `Run` for each process that compiled something; merging two traces is putting their runs together.
Everything that refers to something else does so by its index in a list of the same run.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec
from msgspec import field

from .values import Data, Object, Value

SCHEMA = 1

How: TypeAlias = Literal["hit", "compiled", "recompiled", "skipped", "limit"]
Varies: TypeAlias = Literal[
    "size", "rank", "dtype", "strides", "device", "gradient", "range", "length", "value", "type"
]


class Place(Data):
    """A line of source that ran: file, 1-based line, the function's name, and the text of the line."""

    path: str
    line: int
    function: str = ""
    text: str = ""


class Frame(Data):
    """A code object that Dynamo compiled, or gave up.

    Attributes:
        path, name, line: the file, the qualified name and the first line of the function.
        parent: the frame whose rest this is, after a break; -1 where it starts with a call of the function.
        resumes_at: the line of the break that it comes after; 0 where there is none.
        root: whether calls of compiled code begin here.
        entries: what was compiled of it, in order.
        varies: what differs over all its calls that were looked at.
    """

    path: str
    name: str
    line: int
    parent: int = -1
    resumes_at: int = 0
    root: bool = False
    entries: list[int] = field(default_factory=list)
    varies: list[Variation] = field(default_factory=list)


class Entry(Data):
    """One compilation of a frame that went into its cache.

    Attributes:
        frame: its frame.
        compile_id: Dynamo's own name, `0/1`; it starts anew with each `torch._dynamo.reset()`, counted in `epoch`.
        graph: the graph that it runs; -1 where it captured no operator.
        calls: how often it served.
        seconds: the whole compilation; `backend_seconds` of it in the compiler backend.
        guards: the number of guards.
        guard_us: time of one check of the guards, as Dynamo measured it once, cold; good for ranking only.
        varies: what differs over the arguments that it served.
    """

    frame: int
    compile_id: str
    epoch: int = 0
    graph: int = -1
    calls: int = 0
    seconds: float = 0.0
    backend_seconds: float = 0.0
    guards: int = 0
    guard_us: float | None = None
    varies: list[Variation] = field(default_factory=list)


class Graph(Data):
    """A captured graph.

    Attributes:
        frame, entry: who runs it; the entry is -1 where the compilation did not come to its end.
        ops: the number of calls in it.
        op_counts: the same by name, the most frequent first.
        lines: file and 1-based line of each source line in it, in the order of the graph.
    """

    frame: int
    entry: int = -1
    ops: int = 0
    op_counts: dict[str, int] = field(default_factory=dict)
    lines: list[tuple[str, int]] = field(default_factory=list)


class Way(Data):
    """One way to a break: the user's calls, the outermost first, and how often tracing was broken on it."""

    stack: list[Place] = field(default_factory=list)
    events: int = 1


class BreakSite(Data):
    """A place that cuts the graph.

    Attributes:
        path, line: the user's code.
        reason: what Dynamo says in its first line; `explanation` and `hints` are what it says besides.
        registry: the graph-break registry id, `GB0170`; empty where the release gives none.
        stack: the user's calls that lead there, the outermost first; `ways` has all stacks that were met.
        events: how often tracing was broken here: once for each compilation that met it.
        frames: the frames that were being compiled.
        compile_ids: the compilations.
    """

    path: str
    line: int
    reason: str
    registry: str = ""
    explanation: str = ""
    hints: list[str] = field(default_factory=list)
    stack: list[Place] = field(default_factory=list)
    ways: list[Way] = field(default_factory=list)
    events: int = 0
    frames: list[int] = field(default_factory=list)
    compile_ids: list[str] = field(default_factory=list)


class Skip(Data):
    """A frame that Dynamo gave up: its operators run eagerly, for good.

    Attributes:
        frame: the frame.
        reason: the first line of the failure.
        path, line: where in the user's code, as far as it is known; else the frame's own place.
        limit: whether the recompile limit was reached; then earlier entries still serve.
        empty: whether nothing failed, but a call captured no operator, after which Dynamo leaves the code alone.
        events: how often.
    """

    frame: int
    reason: str
    path: str = ""
    line: int = 0
    limit: bool = False
    empty: bool = False
    events: int = 1


class Recompile(Data):
    """A compilation of a frame that had entries already: a guard of each of them failed.

    Attributes:
        frame, compile_id, epoch: the compilation that was started.
        entry: what came of it; -1 where nothing did, as past the recompile limit.
        failed: the guards, the most recent entry's first.
        call: the call of compiled code during which it happened; -1 where that is not known.
        seconds: what it took.
    """

    frame: int
    compile_id: str
    epoch: int = 0
    entry: int = -1
    failed: list[Guard] = field(default_factory=list)
    call: int = -1
    seconds: float = 0.0


class Guard(Data):
    """A guard that failed.

    Attributes:
        compile_id: the compilation whose guard it is.
        text: the guard as Dynamo tells it.
        source: what is guarded, in terms of the frame: `ids.size(1)`, `self.served`, `L['tag']`; empty where unknown.
        expected, actual: both values; empty where the text holds none.
        path, line: where the user's code made it a guard; empty and 0 where unknown.
    """

    compile_id: str
    text: str
    source: str = ""
    expected: str = ""
    actual: str = ""
    path: str = ""
    line: int = 0


class Step(Data):
    """What served, or failed to, on the way through a call.

    Attributes:
        how: `hit`: an entry of the cache served. `compiled`: the first compilation of the frame. `recompiled`: a
            guard failed and an entry was added. `skipped`: the frame was given up and ran eagerly. `limit`: the
            recompile limit was reached and it ran eagerly.
        frame: the frame.
        entry: the entry that served; -1 for none.
        recompile: the failed guards, for `recompiled` and `limit`; -1 for none.
    """

    how: How
    frame: int
    entry: int = -1
    recompile: int = -1


class Call(Data):
    """A call of compiled code from code that is not: its route through graphs and cuts.

    Attributes:
        steps: in order; none where the call ran eagerly from end to end.
        thread: 0 for the first thread that called, and so on; threads that follow one another may share a number.
        root: what was called, by qualified name; empty where that is not known.
    """

    steps: list[Step] = field(default_factory=list)
    thread: int = 0
    root: str = ""


class Sample(Data):
    """The arguments of a call of a frame, as they were when it began.

    Attributes:
        frame, entry: what served; the entry is -1 where the call was not served by one.
        arguments: by name of the parameter; of a frame that resumes after a break, its live variables.
        positional: how many of them may be passed by position; `star` and `double_star` name what takes the rest.
        call: the call of compiled code during which it was; -1 where that is not known.
        times: how many calls in a row had exactly these.
        gradients: whether gradients were being recorded.
        training: whether the owner was in training mode; None where it is no module.
    """

    frame: int
    entry: int = -1
    arguments: dict[str, Value] = field(default_factory=dict)
    positional: int = 0
    star: str = ""
    double_star: str = ""
    call: int = -1
    times: int = 1
    gradients: bool = True
    training: bool | None = None


class Variation(Data):
    """Something that differed from call to call.

    Attributes:
        path: what, in terms of the parameters: `ids.shape[1]`, `rate`, `tags[0]`.
        kind: in what respect.
        values: what was seen, each once, in order, as texts; at most 16.
        distinct: how many different ones there were.
        low, high: of numbers, the least and the greatest.
    """

    path: str
    kind: Varies
    values: list[str] = field(default_factory=list)
    distinct: int = 0
    low: float | int | None = None
    high: float | int | None = None


class Run(Data):
    """What one process did.

    Attributes:
        command: the arguments that it was started with.
        pid, parent: process ids.
        rank: of a distributed run; None where there is none.
        started: Unix time; `seconds`: how long it was recorded.
        ended: `exit 0`, `exit 1`, `SIGKILL` and so on; empty where that is not known.
        torch, python: versions.
        epochs: how often the cache was emptied by `torch._dynamo.reset()`.
        calls: the first of them, in order; `more_calls` came after.
        unseen_samples: calls whose arguments were not looked at, to keep the run fast.
    """

    command: list[str] = field(default_factory=list)
    pid: int = 0
    parent: int = 0
    rank: int | None = None
    started: float = 0.0
    seconds: float = 0.0
    ended: str = ""
    torch: str = ""
    python: str = ""
    epochs: int = 0
    frames: list[Frame] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    graphs: list[Graph] = field(default_factory=list)
    breaks: list[BreakSite] = field(default_factory=list)
    skips: list[Skip] = field(default_factory=list)
    recompiles: list[Recompile] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    more_calls: int = 0
    samples: list[Sample] = field(default_factory=list)
    unseen_samples: int = 0
    objects: list[Object] = field(default_factory=list)


class Trace(Data):
    """A whole trace."""

    schema: int = SCHEMA
    tool: str = "torch-refactor"
    version: str = ""
    runs: list[Run] = field(default_factory=list)


class TraceError(Exception):
    """A file that is no trace, or one of another version; the text says which."""


def encoded(trace: Trace) -> bytes:
    """The file's content."""
    return msgspec.json.format(msgspec.json.encode(trace), indent=1)


def decoded(data: bytes) -> Trace:
    """The inverse of `encoded`.

    Raises:
        TraceError: it is no trace, or one of a version that is not known.
    """
    try:
        schema = msgspec.json.decode(data, type=_Head).schema
    except msgspec.MsgspecError as error:
        raise TraceError(f"expected a trace, got something else ({error})") from None
    if schema != SCHEMA:
        raise TraceError(f"expected a trace of schema {SCHEMA}, got {schema}; record it again with this version")
    try:
        return msgspec.json.decode(data, type=Trace)
    except msgspec.MsgspecError as error:
        raise TraceError(f"expected a trace, got something else ({error})") from None


def merged(traces: list[Trace]) -> Trace:
    """All runs of some traces in one."""
    return Trace(version=traces[-1].version if traces else "", runs=[run for trace in traces for run in trace.runs])


class _Head(msgspec.Struct):
    schema: int
