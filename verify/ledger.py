"""The cost model of compiled calls, measured: T_avg = T_guard + T_run + f_fail * T_rebuild. Plain data; no torch here.

How each term is measured, and what misleads: rewrite facts, section 9.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from .trace import Call, Recompile, Run
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
        failed_calls: in how many of them a guard failed.
        rebuilds: N_rebuild: how often a guard failed, and a frame was compiled again or given up.
        rebuild_s: T_rebuild in seconds: what such a call compiles, on average: the frames whose guards failed, and what
            comes after a break in them.
        cold_s: all other compilations, in seconds: paid once.
        guard_us: T_guard: the guards of a steady call, in µs; None where it was not measured.
        run_us: T_run: the rest of a steady call, in µs, over the calls; None where it was not measured.
    """

    calls: int = 0
    failed_calls: int = 0
    rebuilds: int = 0
    rebuild_s: float = 0.0
    cold_s: float = 0.0
    guard_us: float | None = None
    run_us: Spread | None = None

    @property
    def failure_rate(self) -> float:
        """f_fail: the share of calls in which a guard failed."""
        return self.failed_calls / self.calls if self.calls else 0.0

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
        extra_s: what each call took longer than later on, in seconds, where nothing was recorded; empty where unknown.
    """

    run: Run
    raised: dict[int, str] = msgspec.field(default_factory=dict)
    found: list[Found] = msgspec.field(default_factory=list)
    extra_s: list[float] = msgspec.field(default_factory=list)


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


def ledger_of(run: Run, extra_s: Sequence[float] = ()) -> Ledger:
    """What a recorded run itself says about costs: everything but the time of a steady call.

    Args:
        run: the run.
        extra_s: what each of its calls took longer than later on, in seconds, measured without a recorder; where the
            calls do not match, the times of the recorder are taken.
    """
    failing: dict[int, list[Recompile]] = {}
    for number, item in enumerate(run.recompiles):
        # One whose call is not known counts as a call of its own.
        failing.setdefault(item.call if item.call >= 0 else -1 - number, []).append(item)
    seconds = sum(item.seconds for item in run.recompiles)
    fresh = sum(_rest_s(run, run.calls[call], items) for call, items in failing.items() if 0 <= call < len(run.calls))
    again = {item.entry for item in run.recompiles}
    cold = sum(entry.seconds for number, entry in enumerate(run.entries) if number not in again)
    rebuild = (seconds + fresh) / len(failing) if failing else 0.0
    if failing and len(extra_s) == len(run.calls) and min(failing) >= 0:
        rebuild = sum(extra_s[call] for call in failing) / len(failing)
    return Ledger(
        calls=len(run.calls) + run.more_calls,
        failed_calls=len(failing),
        rebuilds=len(run.recompiles),
        rebuild_s=rebuild,
        cold_s=max(0.0, cold - fresh),
    )


def _rest_s(run: Run, call: Call, again: list[Recompile]) -> float:
    """The seconds of compiling, for the first time, what comes after a break in frames that were compiled again."""
    rebuilt = {item.frame for item in again}
    new = [step for step in call.steps if step.how == "compiled" and step.entry >= 0]
    return sum(run.entries[step.entry].seconds for step in new if rebuilt & set(_origins(run, step.frame)))


def _origins(run: Run, frame: int) -> Iterator[int]:
    """The frames whose rest a frame is."""
    while (frame := run.frames[frame].parent) >= 0:
        yield frame


def with_timing(ledger: Ledger, timing: Timing) -> Ledger:
    """A ledger with the terms of a steady call."""
    guard = timing.guard_us or 0.0
    rest = timing.call_us.less(guard) if timing.call_us else None
    return msgspec.structs.replace(ledger, guard_us=timing.guard_us, run_us=rest)
