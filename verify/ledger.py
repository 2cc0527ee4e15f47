"""The cost model of compiled calls, measured: T_avg = T_guard + T_run + f_fail * T_rebuild. Plain data; no torch here.

How each term is measured, and what misleads: rewrite facts, section 9.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable

import msgspec

from .trace import Run
from .values import Data


class Spread(Data):
    """A distribution by its 10th, 50th and 90th percentile, of so many samples."""

    low: float
    middle: float
    high: float
    samples: int

    @classmethod
    def of(cls, samples: Iterable[float]) -> Spread | None:
        """The spread of some samples; None where there is none."""
        ordered = sorted(samples)
        if not ordered:
            return None
        last = len(ordered) - 1
        return cls(
            low=ordered[round(0.1 * last)],
            middle=statistics.median(ordered),
            high=ordered[round(0.9 * last)],
            samples=len(ordered),
        )

    def less(self, by: float) -> Spread:
        """The same, smaller by an amount, and not below zero."""
        low, middle, high = (max(0.0, value - by) for value in (self.low, self.middle, self.high))
        return Spread(low=low, middle=middle, high=high, samples=self.samples)


class Ledger(Data):
    """What the calls of a program cost.

    Attributes:
        calls: how many were made, from a cold cache.
        rebuilds: N_rebuild: how often a guard failed in them, and a frame was compiled again or given up.
        rebuild_s: T_rebuild in seconds: compiling a frame again, from the failed guard to the new entry, on average.
        cold_s: the first compilation of each frame, in seconds: paid once.
        guard_us: T_guard: the guards of a steady call, in µs; None where it was not measured.
        run_us: T_run: the rest of a steady call, in µs, over the calls; None where it was not measured.
    """

    calls: int = 0
    rebuilds: int = 0
    rebuild_s: float = 0.0
    cold_s: float = 0.0
    guard_us: float | None = None
    run_us: Spread | None = None

    @property
    def failure_rate(self) -> float:
        """f_fail: failed guards for each call."""
        return self.rebuilds / self.calls if self.calls else 0.0

    @property
    def steady_us(self) -> float | None:
        """T_guard + T_run in µs; None where they were not measured."""
        return None if self.run_us is None else self.run_us.middle + (self.guard_us or 0.0)

    @property
    def average_us(self) -> float | None:
        """T_avg in µs, at the failure rate of these calls; None where the steady call was not measured."""
        steady = self.steady_us
        return None if steady is None else steady + self.failure_rate * self.rebuild_s * 1e6


class Gap(Data):
    """What lies between two graphs of a call: the cut, with the user's code that runs in it.

    Attributes:
        compile_id: the compilation whose graph ran before it.
        crossings: how often it was crossed.
        us: the time from the end of one graph to the start of the next, in µs, of crossings that compiled nothing.
    """

    compile_id: str
    crossings: int = 0
    us: float | None = None


class Found(Data):
    """A callable that was found, with its calls, as expressions (see `targets.FoundRecipe`)."""

    name: str
    factory_text: str
    calls_text: tuple[str, ...]


class Recorded(Data):
    """A program that was run once, from a cold cache.

    Attributes:
        run: what Dynamo made of it.
        raised: what calls raised, by number: `ValueError: at most 64`.
        found: what was called, where the request did not say it.
    """

    run: Run
    raised: dict[int, str] = msgspec.field(default_factory=dict)
    found: list[Found] = msgspec.field(default_factory=list)


class Timing(Data):
    """A program that was timed.

    Attributes:
        guard_us: the guards of a steady call, in µs; None where this release of torch does not tell.
        call_us: a steady call with its guards, in µs; None where each call compiled something.
        gaps: its cuts as they were crossed.
    """

    guard_us: float | None = None
    call_us: Spread | None = None
    gaps: list[Gap] = msgspec.field(default_factory=list)


class Timings(Data):
    """The original, its rewrite where there is one, and the original without compilation, timed in turn.

    Attributes:
        gain: how many times faster a round of the rewrite's calls is.
    """

    before: Timing
    after: Timing | None = None
    eager_us: Spread | None = None
    gain: Spread | None = None


def ledger_of(run: Run) -> Ledger:
    """What a recorded run itself says about costs: everything but the time of a steady call."""
    rebuilds = len(run.recompiles)
    again = sum(item.seconds for item in run.recompiles)
    fresh = {item.entry for item in run.recompiles}
    return Ledger(
        calls=len(run.calls) + run.more_calls,
        rebuilds=rebuilds,
        rebuild_s=again / rebuilds if rebuilds else 0.0,
        cold_s=sum(entry.seconds for number, entry in enumerate(run.entries) if number not in fresh),
    )


def with_timing(ledger: Ledger, timing: Timing) -> Ledger:
    """A ledger with the terms of a steady call."""
    guard = timing.guard_us or 0.0
    rest = timing.call_us.less(guard) if timing.call_us else None
    return msgspec.structs.replace(ledger, guard_us=timing.guard_us, run_us=rest)
