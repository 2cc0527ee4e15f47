"""The judge's procedure: given calls, variations, compiled code, the meter, and the verdict on them."""

from __future__ import annotations

import functools
import importlib
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import torch

from .arms import vanished
from .aside import Aside, AsideError
from .clock import Deadline
from .compare import Difference, Rules, declared_by, differences, families
from .compiled import Compilation, compile_aside, compile_both, from_aside
from .directed import Probe, aimed, climb
from .draws import CallDraw, Draw, InapplicableError
from .inputs import GRADIENTS, Catalogue
from .observe import Call, OutOfMemoryError, Trace
from .runs import Runner
from .shrink import shrunk
from .snapshot import tensors_in
from .snippet import snippet
from .targets import FoundRecipe, Place, TargetError, import_path
from .verdict import Counts, Request, Status, Verdict
from .worker import work_in

# Seconds for the variations, and their share of the time limit: both texts are still to be compiled after them.
_VARIATIONS_S = 20.0
_SHARE_FOR_VARIATIONS = 0.5
# Of the budget for variations: when the search for ties ends, and that for sides that no call took.
_SHARE_FOR_TIES, _SHARE_FOR_CLIMBING = 0.4, 0.6
_SYSTEMATIC_PER_EXAMPLE = 8
_SHOWN = 3
_ALL = 1000

Tell = Callable[[str], None]


class _Settled(Exception):  # noqa: N818  # the normal end of a trial, no error
    """The verdict is reached."""

    def __init__(
        self, status: Status, reasons: Iterable[str], counterexample: str | None = None, replay: str = ""
    ) -> None:
        super().__init__(status)
        self.status, self.reasons, self.counterexample, self.replay = status, tuple(reasons), counterexample, replay


def examine(request: Request, tell: Tell = lambda _: None, beside: bool = False) -> Verdict:
    """Judge a request in this process, which runs user code; `tell` hears what is about to be run.

    What the request does not name is looked for. With `beside` a second process compiles while this one goes on, in a
    directory beside this one's.

    Never raises for what user code does, short of ending the process.
    """
    request = replace(request, conditions=request.conditions or vanished(request.old, request.new))
    aside = Aside(_move_aside, lambda asked: compile_aside(request, asked)) if beside else None
    if request.factory and request.inputs:
        return try_out(request, tell, aside=aside)
    from .found import examine_found

    return examine_found(request, tell, aside)


def _move_aside() -> None:
    # Code that runs in both processes at once may meet its own files, and not those of the other run.
    folder = Path.cwd().with_name("aside")
    folder.mkdir()
    work_in(folder)
    load_compiler()


def load_compiler() -> None:
    """Import what compiling needs, much of which is imported by the first compilation only.

    No gradients: autograd's threads would not survive a fork.
    """
    torch.compile(torch.neg, backend="eager")(torch.ones(1))
    torch._dynamo.reset()
    importlib.import_module("torch._functorch.partitioners")


def try_out(
    request: Request,
    tell: Tell,
    recipe: FoundRecipe | None = None,
    scope: Scope | None = None,
    aside: Aside | None = None,
) -> Verdict:
    """Judge one callable of a request: the one that it names, or a found one.

    Args:
        request: the question.
        tell: hears what is about to be run.
        recipe: the found callable and calls; the request's own by default.
        scope: how far to go with it.
        aside: the process that compiles; this one by default.
    """
    scope = scope or Scope(Deadline(_VARIATIONS_S, _SHARE_FOR_VARIATIONS * request.timeout_s))
    trial = _Trial(request, tell, recipe, scope, aside)
    try:
        with import_path(trial.place.root):
            trial.run()
    except _Settled as settled:
        return trial.verdict(settled)
    except OutOfMemoryError as error:
        reason = f"out of memory at the limit of {request.memory_mb} MiB: {error}"
        return trial.verdict(_Settled("UNVERIFIED", [reason]))
    raise AssertionError("a trial ends with a verdict")


@dataclass(frozen=True, slots=True)
class Scope:
    """How far to go with one callable.

    Attributes:
        variations: the budget for running it on its calls and on variations of them.
        compiled: whether it is compiled too, and counted.
        arms: whether the verdict asks that every condition of the request was seen both ways.
    """

    variations: Deadline
    compiled: bool = True
    arms: bool = True


class _Trial:
    def __init__(
        self, request: Request, tell: Tell, recipe: FoundRecipe | None, scope: Scope, aside: Aside | None
    ) -> None:
        self.place = Place.of(request.path)
        self._request, self._tell, self._recipe, self._scope, self._aside = request, tell, recipe, scope, aside
        self._runner = Runner(request, self.place, recipe)
        self._given = Draw(())
        self._several = False
        self._unstable: frozenset[str] = frozenset()
        self._notes: list[str] = []
        self._counts: tuple[Counts | None, Counts | None] = (None, None)
        self._limit_s = max(2.0, request.timeout_s / 4)

    def verdict(self, settled: _Settled) -> Verdict:
        """The verdict with everything that was learned on the way."""
        before, after = self._counts
        return Verdict(
            status=settled.status,
            reasons=(*settled.reasons, *self._notes),
            counterexample=settled.counterexample,
            arms=self._runner.arms.results(),
            before=before,
            after=after,
            seed=self._request.seed,
            replay=settled.replay,
        )

    def run(self) -> None:
        """Ends by raising `_Settled`."""
        self._given_calls()
        compilation = self._compilation() if self._scope.compiled else None
        tried = self._variations()
        if compilation is not None:
            self._compiled(compilation)
        self._settle(tried)

    def _given_calls(self) -> None:
        runner = self._runner
        self._tell("running the original on the given calls")
        try:
            _, given = runner.sample()
            self._given = Draw.given(len(given))
            self._several = any(sum(t.dim() >= 2 for _, t in tensors_in(call, "")) > 1 for call in given)
            started = time.monotonic()
            old = runner.eager(runner.old, self._given, self._limit_s)
            if old.timed_out:
                reason = f"the original does not return within {self._limit_s:g} s on the given calls"
                raise _Settled("UNVERIFIED", [reason])
            self._limit_s = max(2.0, 20 * (time.monotonic() - started))
            again = runner.eager(runner.old, self._given, self._limit_s)
        except TargetError as error:
            raise _Settled("UNVERIFIED", [str(error)]) from None
        self._check_original(old, again)
        self._tell("running the rewrite on the given calls")
        try:
            runner.check_inputs()
            new = runner.eager(runner.new, self._given, self._limit_s)
        except TargetError as error:
            raise _Settled("REFUTED", [str(error)]) from None
        if self._relevant(differences(again, new, self._rules(self._given))):
            self._refute(self._given)

    def _check_original(self, old: Trace, again: Trace) -> None:
        if not self._given.calls:
            raise _Settled("UNVERIFIED", ["there are no given calls"])
        failed = [old.failures[index] for index in sorted(old.failures)]
        if len(failed) == len(self._given.calls) and not any(failure.deliberate for failure in failed):
            kind, text = old.facts["call 0.raised"]
            raise _Settled("UNVERIFIED", [f"the original fails on every given call: {kind}: {text.splitlines()[0:1]}"])
        unstable = differences(old, again, Rules(), limit=_ALL)
        self._unstable = families(unstable)
        if unstable:
            self._notes.append(f"two runs of the original differ: {unstable[0]}")

    def _variations(self) -> int:
        """How many variations were tried.

        Raises:
            _Settled: one of them shows a difference.
        """
        self._tell("running original and rewrite on varied calls")
        runner, request = self._runner, self._request
        function, given = runner.sample()
        catalogue = Catalogue.of(request.old, function, given)
        catalogue = replace(catalogue, with_gradients=self._takes_gradients(given))
        tried = 0
        deadline = self._scope.variations

        def attempt(draw: Draw) -> bool:
            nonlocal tried
            if deadline.passed:
                return False
            tried += 1
            if self._differs(draw):
                self._refute(draw)
            return True

        probe = Probe(runner.old, lambda target, draw: runner.bare(target, draw, self._limit_s))
        ties = aimed(probe, catalogue.representatives, given, functools.partial(deadline.later_than, _SHARE_FOR_TIES))
        systematic = catalogue.systematic(_SYSTEMATIC_PER_EXAMPLE * request.examples)
        if all(attempt(draw) for draw in ties):
            late = functools.partial(deadline.later_than, _SHARE_FOR_CLIMBING)
            climb(probe, catalogue.representatives, given, attempt, late, request.examples, request.seed)
        if all(attempt(draw) for draw in systematic):
            catalogue.random(attempt, request.examples, request.seed)
        else:
            self._notes.append(f"the time limit ended the variations after {tried}")
        return tried

    def _takes_gradients(self, given: list[Call]) -> bool:
        """True where no given argument asks for a gradient, and the original works as well where all of them do."""
        floats = [t for _, t in tensors_in(given, "") if t.is_floating_point()]
        if not floats or any(t.requires_grad for t in floats):
            return False
        asking = Draw(tuple(CallDraw(index, (GRADIENTS,)) for index in range(len(given))))
        try:
            trace = self._runner.eager(self._runner.old, asking, self._limit_s)
        except (InapplicableError, TargetError):
            return False
        return not trace.timed_out and all(failure.deliberate for failure in trace.failures.values())

    def _differs(self, draw: Draw) -> list[Difference]:
        """The differences on a draw; none where the draw says nothing."""
        if draw.restructures and any(text.startswith("length") for text in self._request.declared):
            return []
        try:
            old = self._runner.eager(self._runner.old, draw, self._limit_s)
            if old.timed_out or (draw.retypes and not all(f.deliberate for f in old.failures.values())):
                return []
            new = self._runner.eager(self._runner.new, draw, self._limit_s)
        except (InapplicableError, TargetError):
            return []
        return self._relevant(differences(old, new, self._rules(draw), self._limit))

    def _confirmed(self, draw: Draw) -> list[Difference]:
        """The differences that are there again, and that the original does not show against itself."""
        runner = self._runner
        try:
            first = runner.eager(runner.old, draw, self._limit_s)
            second = runner.eager(runner.old, draw, self._limit_s)
            new = runner.eager(runner.new, draw, self._limit_s)
            unwritten = runner.uninitialised(draw, second, self._limit_s)
        except (InapplicableError, TargetError):
            return []
        shaky = families(differences(first, second, Rules(), limit=_ALL))
        found = self._relevant(differences(second, new, self._rules(draw, shaky), self._limit))
        return [item for item in found if item.path not in unwritten]

    def _refute(self, draw: Draw) -> None:
        """Settle on a counterexample; returns where the difference is not there again."""
        first = self._confirmed(draw)
        if not first:
            return
        self._tell("making the counterexample small")
        function, given = self._runner.sample()
        by_user = draw.is_given(len(given))
        # What the user gave is shown as it is; only calls that do not matter are left out.
        sizes = () if by_user else tuple(dict.fromkeys(t.shape[0] for _, t in tensors_in(given, "") if t.dim()))

        def same(candidate: Draw) -> bool:
            return any(item.family == first[0].family for item in self._differs(candidate)[:1])

        # Each attempt on a call that hangs would take the whole limit.
        hangs = "did not return" in str(first[0])
        small = draw if hangs else shrunk(draw, same, sizes)
        found = self._confirmed(small)
        if not found:
            small, found = draw, first
        lines = [str(item) for item in found[:_SHOWN]]
        text = snippet(self._request, self._runner.recipe, self.place, small, function, given, lines)
        where = "on the given calls" if small == draw and by_user else f"on {small.words()}"
        raise _Settled("REFUTED", [f"{lines[0]} ({where})", *lines[1:]], text, small.to_json())

    def _compilation(self) -> Callable[[], Verdict]:
        """Have both texts compiled, in the other process if there is one; what is returned waits for the answer."""
        compilation = Compilation(self._recipe, self._unstable)
        if self._aside is None:
            return functools.partial(compile_both, self._request, compilation, self._tell)
        answer = self._aside.ask(compilation.to_plain())
        return lambda: from_aside(answer())

    def _compiled(self, compilation: Callable[[], Verdict]) -> None:
        self._tell("compiling original and rewrite")
        try:
            verdict = compilation()
        except AsideError as error:
            raise _Settled("UNVERIFIED", [f"{error} while compiling original and rewrite"]) from None
        self._counts = (verdict.before, verdict.after)
        if verdict.status != "VERIFIED":
            raise _Settled(verdict.status, verdict.reasons)
        self._notes += [note for note in verdict.reasons if note not in self._notes]

    def _settle(self, tried: int) -> None:
        missed = [
            f"branch not exercised: the condition at line {arm.line} was never {'true' if not arm.taken else 'false'}"
            for arm in self._runner.arms.results()
            if not arm.exercised
        ]
        if missed and self._scope.arms:
            raise _Settled("UNVERIFIED", missed)
        if any(".returned" in family for family in self._unstable):
            raise _Settled("UNVERIFIED", ["the original is not deterministic in what it returns"])
        count = len(self._given.calls)
        raise _Settled("VERIFIED", [f"no difference on {count} given calls and {tried} variations"])

    def _rules(self, draw: Draw, shaky: frozenset[str] = frozenset()) -> Rules:
        return Rules(
            generated=not draw.is_given(len(self._given.calls)),
            mixed=draw.mixes_layouts and self._several,
            unstable=self._unstable | shaky,
        )

    @property
    def _limit(self) -> int:
        return _ALL if self._request.declared else 8

    def _relevant(self, found: Iterable[Difference]) -> list[Difference]:
        """Without what the rules declare; that is noted once."""
        kept = []
        for item in found:
            declared = declared_by(item, self._request.declared)
            if declared is None:
                kept.append(item)
            elif f"as declared: {declared}" not in self._notes:
                self._notes.append(f"as declared: {declared}")
        return kept
