"""What the judge is asked and what it answers: plain data that crosses the process border as JSON. No torch here."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

Status = Literal["VERIFIED", "REFUTED", "UNVERIFIED"]

# A captured ratio is a quotient of operator counts of one profiled pass; below this a change is rounding.
_RATIO_STEP = 0.005
# A host value decided before the graph takes the operators that compute it out of the graph with it.
_DECIDED_OUTSIDE = 0.25
# In a small function a few operators are a large part.
_DECIDED_OPERATORS = 6.0


@dataclass(frozen=True, slots=True)
class Request:
    """One question: is `new` observably `old`?

    Attributes:
        old: the original text.
        new: the rewritten text.
        path: where the original stands; both texts are loaded as if they stood there, so that their imports resolve.
        factory: what builds the callable: `NAME` in the file itself, or `FILE:NAME`. It takes no arguments and returns
            a function, a bound method, a callable object or an `nn.Module`.
        inputs: what returns the calls to make, `[(args, kwargs), ...]`; spelled like `factory`.
        conditions: the rewritten conditions in `old`, each (line, column, end line, end column), lines from 1 and
            columns in characters from 0; both outcomes of each must be reached.
        declared: changes that the rules declare, each `KIND: words` (kinds: see `compare.DECLARABLE`).
        seed: seeds the construction, the calls and the generated variations.
        examples: how many random variations are drawn; the systematic ones come on top, up to eight times as many.
        timeout_s: wall-clock limit of the child process, in seconds.
        memory_mb: memory that user code may take beyond what torch itself holds, in MiB.
        network: whether user code may use the network (see `limits.refuse_network`).
        evidence: files of recorded runs; where no factory is named, calls are made from what they hold.
        backends: compiler backends whose results are compared with the eager ones. `aot_eager` is added by itself
            where gradients flow.
    """

    old: str
    new: str
    path: str
    factory: str | None = None
    inputs: str | None = None
    conditions: tuple[tuple[int, int, int, int], ...] = ()
    declared: tuple[str, ...] = ()
    seed: int = 0
    examples: int = 60
    timeout_s: float = 120.0
    memory_mb: int = 4096
    network: bool = False
    backends: tuple[str, ...] = ("eager",)
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, order=True)
class Site:
    """A break site: the user's file, the 1-based line, and Dynamo's reason."""

    path: str
    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class Arm:
    """How often the condition at a place (1-based line, 0-based column) was true and was false."""

    line: int
    column: int
    taken: int
    not_taken: int

    @property
    def exercised(self) -> bool:
        """True where both outcomes were reached."""
        return self.taken > 0 and self.not_taken > 0


@dataclass(frozen=True, slots=True)
class Counts:
    """What Dynamo made of the given calls (see `dynamo.Meter`); `uncaptured` is operators outside of graphs a call."""

    graphs: int = 0
    break_sites: tuple[Site, ...] = ()
    break_events: int = 0
    skipped_frames: int = 0
    recompiles: int = 0
    limit_hits: int = 0
    captured_ratio: float | None = None
    uncaptured: float | None = None

    def worse_than(self, other: Counts) -> bool:
        """True where some figure is worse.

        Code that Dynamo skipped before brings graphs, break sites and recompiles of its own once it is captured, as
        do the small frames that are skipped in its place; and a condition that became a flag recompiles instead of
        breaking: these are no loss where something was gained. Nor are operators decided outside, where half of the
        recompiles or more are saved.
        """
        grown = self._ratio > other._ratio + _RATIO_STEP
        freed = self.skipped_frames < other.skipped_frames or grown
        cut = len(self.break_sites) < len(other.break_sites)
        saved = 0 < other.recompiles >= 2 * self.recompiles
        few = None not in (self.uncaptured, other.uncaptured) and (
            (self.uncaptured or 0.0) <= (other.uncaptured or 0.0) + _DECIDED_OPERATORS
        )
        return (
            (not freed and len(self.break_sites) > len(other.break_sites))
            or (not grown and self.skipped_frames > other.skipped_frames)
            or self.limit_hits > other.limit_hits
            or (self._ratio < other._ratio - (_DECIDED_OUTSIDE if cut or saved else _RATIO_STEP) and not (cut and few))
            or (not freed and self.graphs > other.graphs)
            or (not freed and not cut and self.break_events > other.break_events)
            or (not freed and not cut and self.recompiles > other.recompiles)
        )

    def better_than(self, other: Counts) -> bool:
        """True where there are fewer break sites or recompiles, or more of the operators run inside graphs."""
        return (
            len(self.break_sites) < len(other.break_sites)
            or self.recompiles < other.recompiles
            or self.limit_hits < other.limit_hits
            or self._ratio > other._ratio + _RATIO_STEP
        )

    @property
    def _ratio(self) -> float:
        return 1.0 if self.captured_ratio is None else self.captured_ratio


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer.

    Attributes:
        status: VERIFIED (no difference found, every condition seen both ways), REFUTED (a difference was found and
            found again), or UNVERIFIED.
        reasons: one line each; the first one is the verdict's headline.
        counterexample: a runnable snippet that shows the difference, where there is one.
        arms: how often each condition of the request went each way in the original.
        before: Dynamo's counts for the original; None where it was not measured.
        after: the same for the rewrite.
        seed: the seed of the request.
        replay: the variation that shows the difference, as JSON; empty where there is none.
        files: the user's files that were imported on the way; None where the judge did not come to its own end.
    """

    status: Status
    reasons: tuple[str, ...] = ()
    counterexample: str | None = None
    arms: tuple[Arm, ...] = ()
    before: Counts | None = None
    after: Counts | None = None
    seed: int = 0
    replay: str = ""
    files: tuple[str, ...] | None = None

    @property
    def gains(self) -> bool:
        """True where the rewrite breaks less and no figure got worse; False where nothing was measured."""
        if self.before is None or self.after is None:
            return False
        return self.after.better_than(self.before) and not self.after.worse_than(self.before)


def to_plain(value: Request | Verdict) -> dict[str, Any]:
    """The value as JSON-ready data."""
    return asdict(value)


def request_from(data: dict[str, Any]) -> Request:
    """The inverse of `to_plain` for a request."""
    request = Request(**data)
    return replace(
        request,
        conditions=tuple((a, b, c, d) for a, b, c, d in request.conditions),
        declared=tuple(request.declared),
        backends=tuple(request.backends),
        evidence=tuple(request.evidence),
    )


def verdict_from(data: dict[str, Any]) -> Verdict:
    """The inverse of `to_plain` for a verdict."""
    verdict = Verdict(**data)
    return replace(
        verdict,
        reasons=tuple(verdict.reasons),
        arms=tuple(Arm(**arm) for arm in data["arms"]),
        before=_counts_from(data["before"]),
        after=_counts_from(data["after"]),
        files=None if data.get("files") is None else tuple(data["files"]),
    )


def _counts_from(data: dict[str, Any] | None) -> Counts | None:
    if data is None:
        return None
    return Counts(**{**data, "break_sites": tuple(Site(**site) for site in data["break_sites"])})
