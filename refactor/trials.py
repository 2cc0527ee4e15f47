"""Which fixes of a rewrite hold when it is run: the guilty and the idle ones are found and taken back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from .errors import UserError
from .passes import UNTRIED, Applied, Key, Left, Outcome
from .transforms.model import NoFix

if TYPE_CHECKING:
    from .verify.verdict import Verdict

MAX_TRIALS = 48
_MAX_SINGLES = 8


class CannotRunError(UserError):
    """The original itself cannot be run."""


@dataclass(frozen=True)
class Trial:
    """A rewrite with the verdict on it; the verdict is None where nothing was changed."""

    outcome: Outcome
    verdict: Verdict | None = None
    unproved: frozenset[Key] = frozenset()

    @property
    def status(self) -> str:
        """The verdict's status; a rewrite that changes nothing is as good as verified."""
        return self.verdict.status if self.verdict else "VERIFIED"


class Court:
    """Runs trials, each combination of exclusions once, and settles on one that may stand.

    Args:
        name: the file, for errors.
        rewrite: the fixpoint of the passes with these sites excluded.
        judge: the verdict on an outcome.
        keep_unproved: whether a fix that no given input reaches may stay, by its risk.
    """

    def __init__(
        self,
        name: str,
        rewrite: Callable[[Mapping[Key, NoFix]], Outcome],
        judge: Callable[[Outcome], Verdict],
        keep_unproved: Callable[[Applied], bool],
    ) -> None:
        self._name = name
        self._rewrite, self._judge, self._keep_unproved = rewrite, judge, keep_unproved
        self._trials: dict[frozenset[Key], Trial] = {}
        self._verdicts: dict[str, Verdict] = {}

    def settle(self) -> Trial:
        """The largest rewrite found that is not refuted, and whose fixes gain something or could not be reached.

        Raises:
            UserError: the original itself cannot be run, or the trials do not come to an end.
        """
        excluded: dict[Key, NoFix] = {}
        while True:
            trial = self._try(excluded)
            drop, unproved = self._objections(trial, excluded)
            if not drop:
                return replace(trial, unproved=unproved)
            excluded |= drop

    def _objections(self, trial: Trial, excluded: Mapping[Key, NoFix]) -> tuple[dict[Key, NoFix], frozenset[Key]]:
        """The fixes to drop, with reasons, and those that may stay though no input reaches them."""
        if trial.verdict is None:
            return {}, frozenset()
        if trial.status == "REFUTED":
            return self._guilty(trial, excluded, _refuted), frozenset()
        if trial.status == "UNVERIFIED":
            return self._unverified(trial, trial.verdict, excluded)
        if not trial.verdict.gains:
            if not _may_be_spoiled(trial):
                return {item.key: _IDLE for item in trial.outcome.applied}, frozenset()
            return self._guilty(trial, excluded, _spoiled), frozenset()
        return self._idle(trial, trial.verdict, excluded), frozenset()

    def _try(self, excluded: Mapping[Key, NoFix]) -> Trial:
        keys = frozenset(excluded)
        if keys not in self._trials:
            if len(self._trials) >= MAX_TRIALS:
                advice = "apply fewer rules at a time with --select"
                raise UserError(f"which fix is wrong is not clear after {MAX_TRIALS} trials; {advice}", self._name)
            outcome = self._rewrite(excluded)
            self._trials[keys] = Trial(outcome, self._verdict(outcome) if outcome.applied else None)
        trial = self._trials[keys]
        # The reasons are not part of what makes two trials the same, so they are those of this call.
        left = tuple(_explained(item, excluded) for item in trial.outcome.left)
        return replace(trial, outcome=replace(trial.outcome, left=left))

    def _verdict(self, outcome: Outcome) -> Verdict:
        if outcome.new not in self._verdicts:
            verdict = self._judge(outcome)
            if verdict.status == "UNVERIFIED" and verdict.before is None:
                reason = "; ".join(verdict.reasons) or "for a reason unknown"
                raise CannotRunError(f"cannot be run: {reason}", self._name)
            self._verdicts[outcome.new] = verdict
        return self._verdicts[outcome.new]

    def _guilty(
        self, trial: Trial, excluded: Mapping[Key, NoFix], bad: Callable[[Trial], NoFix | None]
    ) -> dict[Key, NoFix]:
        """The last fix of the shortest row of fixes that is bad, by bisection over their order."""
        keys = [item.key for item in trial.outcome.applied]
        good, wrong, culprit = 0, len(keys), trial
        while wrong - good > 1:
            middle = (good + wrong) // 2
            attempt = self._try({**excluded, **dict.fromkeys(keys[middle:], UNTRIED)})
            if bad(attempt) is None:
                good = middle
            else:
                wrong, culprit = middle, attempt
        return {keys[wrong - 1]: bad(culprit) or UNTRIED}

    def _unverified(
        self, trial: Trial, verdict: Verdict, excluded: Mapping[Key, NoFix]
    ) -> tuple[dict[Key, NoFix], frozenset[Key]]:
        """Without the fixes that were not reached the others may be proved; only then they count as such."""
        missed = {item.key for item in trial.outcome.applied if _missed(item, verdict)}
        reason = "; ".join(verdict.reasons) or "it could not be verified"
        unwelcome = {
            item.key: NoFix(f"not verified: {reason}")
            for item in trial.outcome.applied
            if (item.key in missed or not missed) and not self._keep_unproved(item)
        }
        if unwelcome:
            return unwelcome, frozenset()
        everything = frozenset(item.key for item in trial.outcome.applied)
        if not missed or missed == everything:
            return {}, everything
        fewer = {**excluded, **dict.fromkeys(missed, UNTRIED)}
        core = self._try(fewer)
        drop, _ = self._objections(core, fewer)
        return drop, frozenset() if drop else frozenset(missed) if core.status == "VERIFIED" else everything

    def _idle(self, trial: Trial, verdict: Verdict, excluded: Mapping[Key, NoFix]) -> dict[Key, NoFix]:
        """The fixes without which the figures are as good: only those can be idle at whose site no break vanished."""
        sites = verdict.before.break_sites if verdict.before else ()
        doubtful = [
            item.key
            for item in trial.outcome.applied
            if not any(item.line <= site.line <= item.end_line for site in sites)
        ]
        if not doubtful or len(doubtful) == len(trial.outcome.applied) == 1:
            return {}
        idle: dict[Key, NoFix] = {}
        groups: Sequence[list[Key]] = [doubtful, *([key] for key in doubtful[:_MAX_SINGLES] if len(doubtful) > 1)]
        for group in groups:
            fewer = {**idle, **dict.fromkeys(group, _IDLE)}
            attempt = self._try({**excluded, **fewer})
            if attempt.verdict is not None and attempt.status == "VERIFIED" and _as_good(attempt.verdict, verdict):
                idle = fewer
            if len(idle) == len(doubtful):
                break
        return idle


_IDLE = NoFix("gains nothing when run: as many breaks, graphs and recompiles without it")


def _explained(item: Left, excluded: Mapping[Key, NoFix]) -> Left:
    if item.key is None:
        return item
    return replace(item, reason=excluded[item.key].reason, remedy=excluded[item.key].remedy)


def _refuted(trial: Trial) -> NoFix | None:
    """Why a refuted rewrite may not stand; the remedy is the snippet that shows it."""
    if trial.status != "REFUTED" or trial.verdict is None:
        return None
    reason = "; ".join(trial.verdict.reasons) or "it behaves differently"
    return NoFix(f"refuted when run: {reason}", trial.verdict.counterexample or "")


def _spoiled(trial: Trial) -> NoFix | None:
    """Why a rewrite may not stand though something in it gains: it is refuted, or some figure got worse."""
    verdict = trial.verdict
    if verdict is None or trial.status == "REFUTED":
        return _refuted(trial)
    if verdict.before is None or verdict.after is None or not verdict.after.worse_than(verdict.before):
        return None
    return NoFix("makes a figure worse when run: more breaks, skipped frames or recompiles with it")


def _may_be_spoiled(trial: Trial) -> bool:
    """True where a figure got worse, and several fixes were made: then one may be spoiling the others."""
    verdict = trial.verdict
    if verdict is None or verdict.before is None or verdict.after is None:
        return False
    return len(trial.outcome.applied) > 1 and verdict.after.worse_than(verdict.before)


def _as_good(fewer: Verdict, more: Verdict) -> bool:
    if fewer.after is None or more.after is None:
        return False
    return not fewer.after.worse_than(more.after) and not more.after.better_than(fewer.after)


def _missed(item: Applied, verdict: Verdict) -> bool:
    """True where no input reached a side of one of the fix's conditions."""
    arms = {(arm.line, arm.column): arm for arm in verdict.arms}
    sides = [arms.get((line, column)) for line, column, _, _ in item.conditions]
    return item.lost or any(arm is None or not arm.exercised for arm in sides)
