"""Source text in, verified rewrite out. Files, stdin, editors and batches all call `rewrite`."""

from __future__ import annotations

import enum
import functools
import importlib
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

from .cache import FOLDER, remembered
from .errors import UserError
from .passes import ADVICE, Aim, Applied, Key, Left, Outcome, Smith, findings, parse, settle
from .transforms.model import Edit, Finding, NoFix, RuleSettings, Safety
from .transforms.source import Source
from .trials import CannotRunError, Court

if TYPE_CHECKING:
    from .verify.verdict import Request, Verdict

Mode = Literal["off", "auto", "require"]
Judge = Callable[["Request"], "Verdict"]


class Standing(enum.Enum):
    """What is known about a fix when it is to be written."""

    VERIFIED = "verified"
    UNVERIFIED = "unverified"  # it was run, and that proved nothing
    NOT_RUN = "not run"


# Which fixes are written: none, only those that are safe at their site, or any. A refuted one never gets here.
# `--unsafe-fixes` makes "safe" mean any.
_POLICY: Mapping[tuple[Mode, Standing], Literal["none", "safe", "any"]] = {
    ("off", Standing.NOT_RUN): "safe",
    ("auto", Standing.NOT_RUN): "safe",
    ("auto", Standing.UNVERIFIED): "safe",
    ("auto", Standing.VERIFIED): "any",
    ("require", Standing.NOT_RUN): "none",
    ("require", Standing.UNVERIFIED): "none",
    ("require", Standing.VERIFIED): "any",
}


@dataclass(frozen=True)
class Options:
    """How one file is to be treated.

    Attributes:
        select: the codes to look for; `complete` says that it is every rule.
        verify: when user code is run; never with `off`.
        factory, inputs: `NAME` in the file or `FILE:NAME`; without a factory the judge looks for calls itself.
        path: where the file stands, for its own imports; it need not exist.
        cache: whether a verdict of an earlier run is good enough.
        evidence: files of recorded runs; without a factory the judge makes its calls from them.
        only_observed: whether nothing but what did harm in those runs is changed.
        timeout: seconds per verification, and for all of a file where the calls are to be found; `memory`: MB.
    """

    select: frozenset[str]
    complete: bool = True
    unsafe_fixes: bool = False
    verify: Mode = "auto"
    factory: str | None = None
    inputs: str | None = None
    path: str = ""
    seed: int = 0
    examples: int = 60
    timeout: float = 120.0
    memory: int = 4096
    network: bool = False
    backends: tuple[str, ...] = ("eager",)
    cache: bool = True
    settings: RuleSettings = field(default_factory=RuleSettings)
    evidence: tuple[str, ...] = ()
    only_observed: bool = False

    @property
    def runs(self) -> bool:
        """True where user code may be run."""
        return self.verify != "off"

    def permits(self, item: Applied, standing: Standing) -> bool:
        """Whether a fix of this standing may be written."""
        allowed = _POLICY[self.verify, standing]
        return allowed == "any" or (allowed == "safe" and (self.unsafe_fixes or not item.risky))

    def beside(self, source: Source) -> Options:
        """The options with what the files beside a source say of its classes."""
        from .neighbours import with_neighbours

        return replace(self, settings=with_neighbours(source, self.settings, self.path))

    def aim(self, text: str, risky: bool) -> Aim:
        """What the passes look for in a text.

        Raises:
            UserError: a trace cannot be read.
        """
        settings = self.settings if self.complete else replace(self.settings, only=self.select)
        if not self.evidence:
            return Aim(self.select, self.complete, risky, settings)
        from .evidence import evidence_for

        evidence = evidence_for(self.path, text, self.evidence)
        settings = replace(settings, observed=evidence.observed)
        return Aim(self.select, self.complete, risky, settings, evidence.seen, self.only_observed)


@dataclass(frozen=True)
class Rewrite:
    """A file before and after; `new == old` where nothing is to be written.

    Attributes:
        fixes: what was changed, each with its standing.
        left: the findings of `new`, each with the reason for staying.
        verdict: on the whole rewrite, where it was run.
        notes: what the user should hear besides.
    """

    name: str
    old: str
    new: str
    fixes: tuple[tuple[Applied, Standing], ...] = ()
    left: tuple[Left, ...] = ()
    verdict: Verdict | None = None
    notes: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        """True where there is something to write."""
        return self.new != self.old


def default_smith() -> Smith:
    """The smith of the package. It loads the rules, not libcst."""
    return cast(Smith, importlib.import_module("refactor.transforms.smith"))


def package_judge(options: Options) -> Judge:
    """The judge of the package, as the options want it."""
    return default_judge if options.cache else functools.partial(default_judge, cache=False)


def default_judge(request: Request, cache: bool = True) -> Verdict:
    """The judge of the package: runs user code, in a child process, unless it knows the answer from an earlier run."""
    from .verify.launch import judge

    return remembered(judge, Path(FOLDER))(request) if cache else judge(request)


def inspect(text: str, name: str, options: Options, smith: Smith | None = None) -> tuple[Source, list[Finding]]:
    """The findings of a text. No user code runs.

    Raises:
        UserError: the text is no valid Python.
    """
    source = parse(text, name)
    with _told(name):
        options = options.beside(source)
        aim = options.aim(text, risky=True)
        found = findings(source, aim, smith or default_smith())
        if aim.seen is None:
            return source, found
        counts = aim.seen([(finding, finding.line, finding.end_line) for finding in found])
        return source, [_told_of(finding, count) for finding, count in zip(found, counts, strict=True)]


def _told_of(finding: Finding, count: int) -> Finding:
    """The finding with how often it was seen to do harm, in words too, so that every format says it."""
    said = f"seen {count} time{'' if count == 1 else 's'}" if count else "not seen"
    return replace(finding, seen=count, message=f"{finding.message} [{said}]")


@dataclass(frozen=True)
class Proposal:
    """The fix of one finding alone, as edits of the text that it was found in, with what it needs above.

    `safety` is the one at the site, `summary` what is done in words.
    """

    edits: tuple[Edit, ...]
    safety: Safety
    summary: str
    changes: tuple[str, ...] = ()


def propose(source: Source, finding: Finding, options: Options, smith: Smith | None = None) -> Proposal | NoFix:
    """The fix of one finding by itself, or why there is none. No user code runs."""
    with _told(source.name):
        refusal = finding.refusal or (ADVICE if finding.safety is Safety.DISPLAY else None)
        if refusal is not None:
            return refusal
        smith = smith or default_smith()
        made = smith.cut(source, finding, options.beside(source).settings)
        if isinstance(made, NoFix):
            return made
        if made.safety is Safety.DISPLAY:
            return ADVICE
        edits = smith.compose(source, [made])
        try:
            parse(smith.apply_edits(source.text, edits), source.name)
        except UserError as error:
            return NoFix(f"the rewrite by {finding.code} is {error.message}", "this is a bug, please report it")
        return Proposal(edits, made.safety, made.summary, made.changes)


def rewrite(text: str, name: str, options: Options, smith: Smith | None = None, judge: Judge | None = None) -> Rewrite:
    """Rewrite a text to the fixpoint and keep what may be written.

    Args:
        text: the source, with its own line endings.
        name: what messages call it.
        options: what is looked for and what may be written.
        smith: where findings and edits come from; the package's own by default.
        judge: who decides; the package's own by default.

    Raises:
        UserError: the text is no valid Python, or it is to be verified and cannot be run.
    """
    with _told(name):
        options = options.beside(parse(text, name))
        return _rewrite(text, name, options, smith or default_smith(), judge or package_judge(options))


@contextmanager
def _told(name: str) -> Iterator[None]:
    """Code too deep to walk is the file's fault; any other exception is a bug, and says which file shows it."""
    try:
        yield
    except RecursionError:
        raise UserError("nested too deeply to be analysed", name) from None
    except UserError:
        raise
    except Exception as error:
        if sys.version_info >= (3, 11):
            error.add_note(f"This is a bug of torch-refactor, met in {name}.")
        raise


def _rewrite(text: str, name: str, options: Options, smith: Smith, judge: Judge) -> Rewrite:
    if not options.runs:
        return _unrun(text, name, options, smith)
    return (_judged if options.factory is not None else _searched)(text, name, options, smith, judge)


def _searched(text: str, name: str, options: Options, smith: Smith, judge: Judge) -> Rewrite:
    """The rewrite judged on calls that the judge finds; on static facts where it finds none in time."""
    from .verify.reach import has_targets

    if not has_targets(text):
        return _unrun(text, name, options, smith)
    bench = _Budgeted(judge, options.timeout, options.timeout if options.evidence else _MOST_S)
    try:
        return _judged(text, name, options, smith, bench)
    except CannotRunError as error:
        # What was seen to be wrong must not come back because a later trial could not be run.
        if bench.refuted:
            raise
        result = _unrun(text, name, options, smith)
        return replace(result, notes=(*result.notes, error.message)) if result.fixes or result.left else result


class _Budgeted:
    """A judge with a time limit for all its answers together.

    Args:
        judge: who answers.
        budget_s: the limit, in seconds.
        most_s: the limit of one answer.
    """

    def __init__(self, judge: Judge, budget_s: float, most_s: float) -> None:
        self.refuted = False
        self._judge, self._budget_s, self._most_s = judge, budget_s, most_s
        self._left_s = budget_s

    def __call__(self, request: Request) -> Verdict:
        """The verdict; UNVERIFIED where the time is over."""
        from .verify.verdict import Verdict

        if self._left_s < _LEAST_S:
            return Verdict("UNVERIFIED", (f"the time limit of {self._budget_s:g} s is over",), seed=request.seed)
        started = time.monotonic()
        verdict = self._judge(replace(request, timeout_s=min(self._most_s, self._left_s)))
        self._left_s -= time.monotonic() - started
        self.refuted |= verdict.status == "REFUTED"
        return verdict


def _judged(text: str, name: str, options: Options, smith: Smith, judge: Judge) -> Rewrite:
    aim = options.aim(text, risky=True)
    court = Court(
        name,
        lambda excluded: settle(text, name, aim, excluded, smith),
        lambda outcome: judge(_request(text, outcome, options, name)),
        lambda item: options.permits(item, Standing.UNVERIFIED),
    )
    trial = court.settle()
    standings = tuple(
        (item, Standing.UNVERIFIED if item.key in trial.unproved else Standing.VERIFIED)
        for item in trial.outcome.applied
    )
    return _result(text, name, trial.outcome, standings, trial.verdict)


# A trial on found calls needs some seconds, and no more than this many.
_LEAST_S, _MOST_S = 3.0, 60.0
_UNKNOWN_FACTORY = NoFix("only verified fixes are asked for, and no factory is known", "name one with --factory")


def _unrun(text: str, name: str, options: Options, smith: Smith) -> Rewrite:
    """The rewrite on static facts alone."""
    excluded: dict[Key, NoFix] = {}
    aim = options.aim(text, options.unsafe_fixes)
    outcome = settle(text, name, aim, excluded, smith)
    barred = [item for item in outcome.applied if not options.permits(item, Standing.NOT_RUN)]
    while barred:
        excluded |= dict.fromkeys((item.key for item in barred), _UNKNOWN_FACTORY)
        outcome = settle(text, name, aim, excluded, smith)
        barred = [item for item in outcome.applied if not options.permits(item, Standing.NOT_RUN)]
    return _result(text, name, outcome, tuple((item, Standing.NOT_RUN) for item in outcome.applied), None)


def _result(
    text: str, name: str, outcome: Outcome, fixes: tuple[tuple[Applied, Standing], ...], verdict: Verdict | None
) -> Rewrite:
    return Rewrite(name, text, outcome.new, fixes, outcome.left, verdict, outcome.notes)


def _request(text: str, outcome: Outcome, options: Options, name: str) -> Request:
    from .verify.verdict import Request

    places = {place: None for item in outcome.applied for place in item.conditions}
    changes = {change: None for item in outcome.applied for change in item.fix.changes}
    return Request(
        old=text,
        new=outcome.new,
        path=options.path or name,
        factory=options.factory,
        inputs=options.inputs,
        conditions=tuple(places),
        declared=tuple(changes),
        seed=options.seed,
        examples=options.examples,
        timeout_s=options.timeout,
        memory_mb=options.memory,
        network=options.network,
        backends=options.backends,
        evidence=options.evidence,
    )
