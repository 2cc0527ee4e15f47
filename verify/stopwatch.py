"""Times the calls of compiled programs, in turn, so that a busy machine is busy for all of them alike."""

from __future__ import annotations

import contextlib
import gc
import itertools
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch._dynamo.backends.registry import lookup_backend
from torch._guards import CompileContext
from torch.profiler import ProfilerActivity, profile, record_function

from .ledger import Gap, Spread
from .observe import Call
from .structured import Began, Event, Listener

Function = Callable[..., Any]

_LOOKUP = "TorchDynamo Cache Lookup"
_CALL = "STOPWATCH_CALL"
_LEAST_ROUNDS, _CALLS = 5, 300
_PROFILED_ROUNDS = 5


class Clock:
    """A backend that hands graphs to another one, and notes when each of them ran.

    Attributes:
        marks: (compilation, start, end) of each run of a graph, in seconds.
        compilations: how many were begun while it was listening.
    """

    def __init__(self, backend: str) -> None:
        self.marks: list[tuple[str, float, float]] = []
        self.compilations = 0
        self._compile = lookup_backend(backend)

    def listening(self) -> AbstractContextManager[None]:
        """Count compilations until the block ends, those that come to nothing too."""
        return Listener(self._hear).attached()

    def _hear(self, event: Event) -> None:
        self.compilations += isinstance(event, Began)

    def backend(self, graph: torch.fx.GraphModule, inputs: Sequence[Any], **options: Any) -> Function:
        """Compile a graph; give this to `torch.compile(backend=...)`."""
        name = str(CompileContext.current_compile_id())
        compiled = self._compile(graph, list(inputs), **options)

        def run(*args: Any) -> Any:
            started = time.perf_counter()
            result = compiled(*args)
            self.marks.append((name, started, time.perf_counter()))
            return result

        return run

    def __deepcopy__(self, memo: dict[int, Any]) -> Clock:
        # Some trainers deep-copy the arguments of torch.compile; the copy must still count here.
        return self


@dataclass
class Timed:
    """A program in the race.

    Attributes:
        function: what is called; `calls` makes the arguments of one round, freshly.
        clock: where its graphs are noted; None where it is not compiled.
        left_out: numbers of the calls that raise, or are not to be timed.
        samples: µs of each call in which nothing was compiled.
        rounds: µs of each round in which nothing was compiled.
    """

    function: Function
    calls: Callable[[], list[Call]]
    clock: Clock | None = None
    left_out: frozenset[int] = frozenset()
    samples: list[float] = field(default_factory=list)
    rounds: dict[int, float] = field(default_factory=dict)
    between: dict[str, list[float]] = field(default_factory=dict)
    crossed: dict[str, int] = field(default_factory=dict)

    @property
    def call_us(self) -> Spread | None:
        """A steady call, in µs."""
        return Spread.of(self.samples)

    @property
    def gaps(self) -> list[Gap]:
        """What lies between graphs."""
        return [
            Gap(
                compile_id=name,
                crossings=count,
                us=statistics.median(self.between[name]) if name in self.between else None,
            )
            for name, count in self.crossed.items()
        ]

    def call(self, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[float, bool]:
        """Make a call; its time in µs, and whether it counts: it neither raised nor compiled anything."""
        marks = self.clock.marks if self.clock else []
        marks.clear()
        compiled = self.compilations()
        started = time.perf_counter()
        try:
            self.function(*args, **kwargs)
        except Exception:
            return 0.0, False
        us = (time.perf_counter() - started) * 1e6
        steady = self.compilations() == compiled
        for (name, _, ended), (_, begun, _) in itertools.pairwise(marks):
            self.crossed[name] = self.crossed.get(name, 0) + 1
            if steady:
                self.between.setdefault(name, []).append((begun - ended) * 1e6)
        return us, steady

    def compilations(self) -> int:
        """How many compilations were begun so far."""
        return self.clock.compilations if self.clock else 0

    def warm_up(self) -> None:
        """Make all calls once, and forget what they took."""
        for args, kwargs in self.calls():
            with contextlib.suppress(Exception):
                self.function(*args, **kwargs)

    def round(self, number: int) -> None:
        """Make all calls once."""
        total, whole = 0.0, True
        for index, (args, kwargs) in enumerate(self.calls()):
            if index in self.left_out:
                continue
            us, counts = self.call(args, kwargs)
            if counts:
                self.samples.append(us)
                total += us
            whole = whole and counts
        if whole and total:
            self.rounds[number] = total

    def guard_us(self) -> float | None:
        """The time that the guards of a steady call take, in µs; None where this release of torch does not tell."""
        found: list[float] = []
        with profile(activities=[ProfilerActivity.CPU]) as profiler:
            for _ in range(_PROFILED_ROUNDS):
                for index, (args, kwargs) in enumerate(self.calls()):
                    if index not in self.left_out:
                        with record_function(_CALL), contextlib.suppress(Exception):
                            self.function(*args, **kwargs)
        told = False
        for event in profiler.events() or ():
            if event.name == _CALL:
                lookups = [below.cpu_time_total for below in _below(event) if below.name == _LOOKUP]
                told = told or bool(lookups)
                found.append(float(sum(lookups)))
        return statistics.median(found) if told else None


def race(programs: Sequence[Timed], limit_s: float) -> None:
    """Time some programs round by round, in turn, until there are enough samples or the time is over."""
    ends = time.monotonic() + limit_s
    with _uncollected():
        for number in itertools.count():
            for program in programs if number % 2 else reversed(programs):
                program.round(number)
                gc.collect()
            enough = number + 1 >= _LEAST_ROUNDS and all(len(program.samples) >= _CALLS for program in programs)
            if enough or time.monotonic() > ends:
                return


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """Collect no garbage by itself in the block: a collection takes as long as many calls.

    What is there already is left out of those that are asked for.
    """
    gc.collect()
    gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.unfreeze()


def gain(before: Timed, after: Timed) -> Spread | None:
    """How many times faster a round of `after` is, over the rounds that both made whole."""
    both = before.rounds.keys() & after.rounds.keys()
    return Spread.of(before.rounds[number] / after.rounds[number] for number in both)


def _below(event: Any) -> list[Any]:
    found = list(event.cpu_children)
    for child in found:
        found.extend(child.cpu_children)
    return found
