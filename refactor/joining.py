"""Joins what Dynamo did with what the rules know: each cut, skip and recompile gets its cost and its cure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from .engine import Options, Rewrite, inspect, rewrite
from .errors import UserError
from .explained import Cause, Cure, Cut, Program, Skipped, Spot
from .files import read
from .report.explain import guard_words
from .report.reasons import link, plain
from .transforms.remedies import remedy

if TYPE_CHECKING:
    from .verify.ledger import Gap, Ledger
    from .verify.trace import BreakSite, Recompile, Run

# Rules of this family treat what recompiles; the others treat what breaks.
_RECOMPILES = "TR5"
_MAX_FILES = 40
_GONE = "gone with the other fixes"
_Spot = TypeVar("_Spot", Cut, Skipped, Cause)


@dataclass(frozen=True)
class _Known:
    """A finding of a file, as lines of the original, with what came of it."""

    line: int
    end_line: int
    cure: Cure

    def distance(self, line: int, family: bool) -> tuple[bool, bool, bool, int]:
        """Sorts what covers a line: of the wanted family, at the line itself, fixed, and small first."""
        wrong = self.cure.code.startswith(_RECOMPILES) is not family
        return wrong, self.line != line, not self.cure.fixes, self.end_line - self.line


@dataclass
class Pharmacy:
    """What the rules say about places, asked file by file.

    Attributes:
        options: how files are rewritten; what is not in `rewrites` is rewritten on static facts alone.
        rewrites: what is known already, by absolute path.
    """

    options: Options
    rewrites: dict[str, Rewrite | None] = field(default_factory=dict)
    _told: dict[str, list[_Known]] = field(default_factory=dict)

    def cure(self, path: str, line: int, recompile: bool = False) -> Cure:
        """The cure for a place; of a recompile, where `recompile` says so."""
        if self._rewrite(path) is None:
            return Cure(words="its file cannot be read")
        covering = [known for known in self._findings(path) if known.line <= line <= known.end_line]
        if not covering:
            return Cure(words="no rule treats it") if recompile else Cure()
        return min(covering, key=lambda known: known.distance(line, recompile)).cure

    def text(self, path: str) -> str | None:
        """A file as it was before any rewrite; None where it cannot be read."""
        known = self.rewrites.get(path)
        if known is not None:
            return known.old
        try:
            return read(Path(path)).text
        except UserError:
            return None

    def _findings(self, path: str) -> list[_Known]:
        result = self._rewrite(path)
        if path not in self._told and result is not None:
            self._told[path] = list(_known(result, self.options))
        return self._told.get(path, [])

    def _rewrite(self, path: str) -> Rewrite | None:
        if path not in self.rewrites:
            self.rewrites[path] = self._made(path) if len(self.rewrites) < _MAX_FILES else None
        return self.rewrites[path]

    def _made(self, path: str) -> Rewrite | None:
        try:
            return rewrite(read(Path(path)).text, path, replace(self.options, verify="off", path=path))
        except UserError:
            return None


def _known(result: Rewrite, options: Options) -> Iterator[_Known]:
    """What was found in the original, with what came of it."""
    told = set()
    for item, standing in result.fixes:
        words = f"{item.fix.summary}; {standing.value}, {item.fix.safety.value}"
        told.add((item.finding.code, item.line))
        yield _Known(item.line, item.end_line, Cure(item.finding.code, item.finding.name, True, words))
    for left in result.left:
        found = left.finding
        length = found.end_line - found.line
        told.add((found.code, left.line))
        yield _Known(left.line, left.line + length, Cure(found.code, found.name, False, left.reason, left.remedy))
    for found in inspect(result.old, result.name, options)[1]:
        if (found.code, found.line) not in told:
            yield _Known(found.line, found.end_line, Cure(found.code, found.name, True, _GONE))


def program(
    key: str,
    run: Run,
    ledger: Ledger,
    pharmacy: Pharmacy,
    gaps: Sequence[Gap] = (),
    raised: dict[int, str] | None = None,
) -> Program:
    """One version of a program, with the costs and cures of everything in it."""
    weighed = _Weighed(run, {gap.compile_id: gap for gap in gaps}, pharmacy)
    cuts = sorted((weighed.cut(number, site) for number, site in enumerate(run.breaks)), key=_costly)
    return Program(
        key=key,
        run=run,
        ledger=ledger,
        cuts=tuple(cuts),
        skipped=tuple(weighed.skipped()),
        causes=tuple(weighed.causes()),
        texts=weighed.texts(),
        raised=raised or {},
    )


def _costly(cut: Cut) -> tuple[object, ...]:
    """Sorts cuts: what gives up a whole frame first, then by what an average call pays."""
    return not cut.frames, -(cut.cost_us or 0.0), -cut.crossings, -cut.seconds, cut.path, cut.line


@dataclass
class _Weighed:
    run: Run
    gaps: dict[str, Gap]
    pharmacy: Pharmacy

    def cut(self, number: int, site: BreakSite) -> Cut:
        """A break site with its cost."""
        run = self.run
        lost = {skip.frame for skip in run.skips if not skip.limit} & set(site.frames)
        spent = {(frame, compile_id) for frame in site.frames for compile_id in site.compile_ids}
        crossings = sum(
            (step.entry >= 0 and (step.frame, run.entries[step.entry].compile_id) in spent)
            or (step.how == "skipped" and step.frame in lost)
            for call in run.calls
            for step in call.steps
        )
        timed = [gap for name in site.compile_ids if (gap := self.gaps.get(name)) is not None and gap.us is not None]
        weight = sum(gap.crossings for gap in timed)
        rest = {
            index
            for index, frame in enumerate(run.frames)
            if frame.parent in site.frames and frame.resumes_at == site.line
        }
        return Cut(
            number=number,
            path=site.path,
            line=site.line,
            words=plain(site.reason),
            reason=site.reason,
            registry=site.registry,
            link=link(site.registry),
            crossings=crossings,
            calls=len(run.calls),
            events=site.events,
            us=sum((gap.us or 0.0) * gap.crossings for gap in timed) / weight if weight else None,
            seconds=sum(entry.seconds for entry in run.entries if entry.frame in rest),
            frames=tuple(dict.fromkeys(run.frames[index].name for index in sorted(lost))),
            cure=self._cure(site),
        )

    def _cure(self, site: BreakSite) -> Cure:
        cure = self.pharmacy.cure(site.path, site.line)
        return cure if cure.fixes or cure.remedy else replace(cure, remedy=remedy([site.registry]))

    def skipped(self) -> Iterator[Skipped]:
        """The frames that were given up."""
        for skip in self.run.skips:
            frame = self.run.frames[skip.frame]
            path, line = (skip.path, skip.line) if skip.path else (frame.path, frame.line)
            cure = self.pharmacy.cure(path, line, skip.limit)
            site = next((site for site in self.run.breaks if skip.frame in site.frames), None)
            if not cure.code and site is not None:
                cure = self._cure(site)
            yield Skipped(path, line, frame.name, plain(skip.reason), skip.limit, cure)

    def causes(self) -> Iterator[Cause]:
        """What made frames compile again, the most often failed guard first."""
        groups: dict[tuple[str, str], list[Recompile]] = {}
        for item in self.run.recompiles:
            if item.failed:
                guard = item.failed[0]
                groups.setdefault((self.run.frames[item.frame].name, guard.source or guard.text), []).append(item)
        for items in sorted(groups.values(), key=len, reverse=True):
            frame, guard = self.run.frames[items[0].frame], items[0].failed[0]
            path, line = (guard.path, guard.line) if guard.path and guard.line else (frame.path, frame.line)
            cure = self.pharmacy.cure(path, line, recompile=True)
            if not cure.code:
                cure = self.pharmacy.cure(frame.path, frame.line, recompile=True)
            seconds = sum(item.seconds for item in items)
            yield Cause(path, line, frame.name, guard_words(guard), len(items), seconds, guard, cure)

    def texts(self) -> dict[str, str]:
        """The sources of everything that ran."""
        paths = [
            *(site.path for site in self.run.breaks),
            *(frame.path for frame in self.run.frames),
            *(path for graph in self.run.graphs for path, _ in graph.lines),
        ]
        found = {path: self.pharmacy.text(path) for path in dict.fromkeys(paths)}
        return {path: text for path, text in found.items() if text is not None}


def cured(before: Program, after: Program) -> Program:
    """The original, where what is gone after the rewrite counts as fixed though no fix stands at its line."""
    stay = {_identity(after, item) for item in after.spots}

    def told(spot: _Spot) -> _Spot:
        if spot.cure.fixes or _identity(before, spot) in stay:
            return spot
        return replace(spot, cure=replace(spot.cure, fixes=True, words=_GONE, remedy=""))

    return replace(
        before,
        cuts=tuple(map(told, before.cuts)),
        skipped=tuple(map(told, before.skipped)),
        causes=tuple(map(told, before.causes)),
    )


def _identity(program: Program, spot: Spot) -> tuple[object, ...]:
    """What a spot is recognised by in another version of the program, where it stands at another line."""
    kind = spot.guard.source or spot.guard.text if isinstance(spot, Cause) else spot.words
    return type(spot), kind, program.line(spot.path, spot.line)
