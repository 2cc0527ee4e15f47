"""The fixpoint: every disjoint fix of a pass at once, parse again, until no fix is left."""

from __future__ import annotations

import collections
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from .errors import UserError
from .suppress import suppress
from .transforms.model import Condition, Edit, Finding, Fix, NoFix, RuleSettings, Safety, Span
from .transforms.source import Source

MAX_PASSES = 10
# Source is read by the grammar of the running interpreter, so newer syntax is an error of this kind too.
_VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"


class Smith(Protocol):
    """What the engine asks of the layer below; `refactor.transforms.smith` is one."""

    def find(self, source: Source, select: Collection[str] | None, settings: RuleSettings) -> list[Finding]:
        """The findings, by position."""

    def cut(self, source: Source, finding: Finding, settings: RuleSettings) -> Fix | NoFix:
        """The edits of one finding, or why there are none."""

    def compose(self, source: Source, fixes: Sequence[Fix]) -> tuple[Edit, ...]:
        """The edits of several fixes, with the helpers and imports they need."""

    def apply_edits(self, text: str, edits: Iterable[Edit]) -> str:
        """The text with its edits carried out."""


@dataclass(frozen=True)
class Key:
    """What a site is recognised by from pass to pass: rule, text and the place in the original that it stems from."""

    code: str
    text: str
    origin: int
    ordinal: int


@dataclass(frozen=True)
class Applied:
    """A fix that was made; `line` and `end_line` are those of its site in the original text.

    `conditions` are the rewritten conditions by (line, column, end line, end column) in the original, and `lost` is
    True where one of them could not be followed back to it.
    """

    key: Key
    finding: Finding
    fix: Fix
    line: int
    end_line: int
    conditions: tuple[tuple[int, int, int, int], ...]
    lost: bool

    @property
    def risky(self) -> bool:
        """True where the fix changes something a caller can see, or rests on an assumption."""
        return self.fix.safety is not Safety.SAFE


@dataclass(frozen=True)
class Left:
    """A finding that stays, in the text as it is after the rewrite, with the reason.

    `dropped` is True where a fix exists and was taken back; `line` is the one in the original text; `key` is set where
    the site was excluded.
    """

    finding: Finding
    reason: str
    remedy: str = ""
    dropped: bool = False
    line: int = 0
    key: Key | None = None


@dataclass(frozen=True)
class Outcome:
    """What the passes made of a text."""

    new: str
    applied: tuple[Applied, ...] = ()
    left: tuple[Left, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Aim:
    """What to look for (`complete`: it is every rule), and whether risky fixes may be tried.

    `seen` counts how often each of some findings, with its first and last line in the original, did harm in recorded
    runs; those that did go first, and with `only_seen` the others stay.
    """

    select: frozenset[str]
    complete: bool
    risky: bool
    settings: RuleSettings
    seen: Callable[[Sequence[tuple[Finding, int, int]]], list[int]] | None = None
    only_seen: bool = False


class Trail:
    """The edits of all passes so far, to follow a place back to the original text."""

    def __init__(self, original: Source) -> None:
        self._passes: list[tuple[str, tuple[Edit, ...]]] = []
        self.original = original

    def add(self, text: str, edits: Iterable[Edit]) -> None:
        """Note that `edits` were made to `text`."""
        self._passes.append((text, tuple(sorted(edits))))

    def back(self, span: Span) -> tuple[int, bool]:
        """The original offset of a span of the text as it is, and whether that is exact.

        Inside replaced text the same code is looked for in the replaced range, with as much of its surroundings as
        leaves one place; where there is none it has the start of that range.
        """
        start, exact = span.start, True
        for text, edits in reversed(self._passes):
            start, same = _one_back(start, start + span.end - span.start, text, edits)
            exact = exact and same
        return start, exact


def _one_back(start: int, end: int, text: str, edits: tuple[Edit, ...]) -> tuple[int, bool]:
    shift = 0
    for edit in edits:
        low = edit.span.start + shift
        high = low + len(edit.text)
        if end <= low:
            break
        if start < high:
            within = _same_code(text[edit.span.start : edit.span.end], edit.text, start - low, end - low)
            return edit.span.start + (within or 0), within is not None
        shift += len(edit.text) - (edit.span.end - edit.span.start)
    return start - shift, True


def _same_code(replaced: str, by: str, start: int, end: int) -> int | None:
    """Where `by[start:end]` stands in the text that `by` replaces: what surrounds it must leave one place only."""
    if start < 0 or end > len(by) or start == end:
        return None
    low, high = start, end
    while replaced.count(by[low:high]) > 1:
        if low and by[low - 1 : high] in replaced:
            low -= 1
        elif high < len(by) and by[low : high + 1] in replaced:
            high += 1
        else:
            return None
    at = replaced.find(by[low:high])
    return at + start - low if at >= 0 else None


def parse(text: str, name: str) -> Source:
    """A parsed source.

    Raises:
        UserError: a syntax error, with its line.
    """
    try:
        return Source(text, name)
    except SyntaxError as error:
        raise UserError(f"not valid Python {_VERSION}: {error.msg}", name, error.lineno) from None
    except (RecursionError, MemoryError):
        raise UserError("nested too deeply to be parsed", name) from None


def findings(source: Source, aim: Aim, smith: Smith) -> list[Finding]:
    """What is found and not suppressed, by position."""
    found = smith.find(source, None if aim.complete else aim.select, aim.settings)
    return suppress(source, [finding for finding in found if finding.code in aim.select], aim.select, aim.complete)


def settle(text: str, name: str, aim: Aim, excluded: Mapping[Key, NoFix], smith: Smith) -> Outcome:
    """Rewrite a text until nothing more can be, leaving the excluded sites alone for the reasons given.

    A text that does not settle within ten passes, or that a rule makes unparsable, comes back as it was, with a note.

    Raises:
        UserError: the text itself is no valid Python.
    """
    source = parse(text, name)
    trail = Trail(source)
    applied: list[Applied] = []
    for _ in range(MAX_PASSES + 1):
        found, settings = _found(source, aim, excluded, smith, trail)
        chosen, left = _choose(source, found, replace(aim, settings=settings), excluded, smith, trail)
        if not chosen:
            return Outcome(source.text, tuple(applied), tuple(left))
        edits = smith.compose(source, [item.fix for item in chosen])
        new = smith.apply_edits(source.text, edits)
        trail.add(source.text, edits)
        applied += chosen
        try:
            source = Source(new, name)
        except SyntaxError as error:
            return _unchanged(
                text, name, aim, smith, f"the rewrite by {_codes(chosen)} is not valid Python ({error.msg})"
            )
    return _unchanged(text, name, aim, smith, f"the rewrite by {_codes(chosen)} does not settle in {MAX_PASSES} passes")


def _found(
    source: Source, aim: Aim, excluded: Mapping[Key, NoFix], smith: Smith, trail: Trail
) -> tuple[list[Finding], RuleSettings]:
    """What is found; where a rule is denied a site for good, also what another rule has for it."""
    found = findings(source, aim, smith)
    denied = [f for f, key in _in_order(source, found, trail) if excluded.get(key, UNTRIED) != UNTRIED]
    if not denied:
        return found, aim.settings
    declined = frozenset((f.code, f.span.start, f.span.end) for f in denied)
    settings = replace(aim.settings, declined=declined)
    other = findings(source, replace(aim, settings=settings), smith)
    known = {(f.code, f.span) for f in other}
    return [*other, *(f for f in denied if (f.code, f.span) not in known)], settings


def _codes(chosen: Sequence[Applied]) -> str:
    return ", ".join(sorted({item.finding.code for item in chosen}))


def _unchanged(text: str, name: str, aim: Aim, smith: Smith, note: str) -> Outcome:
    source = parse(text, name)
    left = [Left(_plain(f), note, dropped=f.fixable, line=f.line) for f in findings(source, aim, smith)]
    return Outcome(text, (), tuple(left), (f"{note}; left as it was. This is a bug of the rule, please report it",))


def _plain(finding: Finding) -> Finding:
    """Without the rule's own data, which need not survive the way between processes."""
    return replace(finding, plan=None)


def _choose(
    source: Source, found: Sequence[Finding], aim: Aim, excluded: Mapping[Key, NoFix], smith: Smith, trail: Trail
) -> tuple[list[Applied], list[Left]]:
    """The fixes of one pass, disjoint, the earlier and outer first, and the findings that stay for a reason."""
    chosen: list[Applied] = []
    left: list[Left] = []
    original = trail.original
    for finding, key in _seen_first(_in_order(source, found, trail), aim, original):
        line, _ = original.position(key.origin)
        outcome: Fix | NoFix | None = _refusal(finding, aim) if key not in excluded else excluded[key]
        if outcome is None:
            if any(finding.span.overlaps(other.finding.span) for other in chosen):
                continue
            outcome = smith.cut(source, finding, aim.settings)
        if isinstance(outcome, Fix):
            outcome = _forbidden(finding, outcome, aim) or outcome
        if isinstance(outcome, NoFix):
            barred = key if key in excluded else None
            left.append(Left(_plain(finding), outcome.reason, outcome.remedy, barred is not None, line, barred))
        elif not _collides(outcome, chosen):
            end_line = line + finding.end_line - finding.line
            places = [_place(original, source, condition, trail) for condition in outcome.conditions]
            known = tuple(place for place in places if place is not None)
            chosen.append(Applied(key, _plain(finding), outcome, line, end_line, known, None in places))
    return chosen, left


def _in_order(source: Source, found: Iterable[Finding], trail: Trail) -> list[tuple[Finding, Key]]:
    """The findings with their keys, the earlier and outer first."""
    return _keyed(source, sorted(found, key=lambda f: (f.span.start, -f.span.end)), trail)


def _seen_first(pairs: list[tuple[Finding, Key]], aim: Aim, original: Source) -> list[tuple[Finding, Key]]:
    """The findings with their counts, those that were seen to do harm first."""
    if aim.seen is None:
        return pairs
    placed = []
    for finding, key in pairs:
        line, _ = original.position(key.origin)
        placed.append((finding, line, line + finding.end_line - finding.line))
    counted = [(replace(pair[0], seen=n), pair[1]) for pair, n in zip(pairs, aim.seen(placed), strict=True)]
    return sorted(counted, key=lambda pair: not pair[0].seen)


def _keyed(source: Source, found: Sequence[Finding], trail: Trail) -> list[tuple[Finding, Key]]:
    seen: collections.Counter[tuple[str, str, int]] = collections.Counter()
    pairs = []
    for finding in found:
        snippet = source.text[finding.span.start : finding.span.end]
        origin, _ = trail.back(finding.span)
        site = (finding.code, " ".join(snippet.split()), origin)
        pairs.append((finding, Key(*site, seen[site])))
        seen[site] += 1
    return pairs


def _refusal(finding: Finding, aim: Aim) -> NoFix | None:
    """Why a finding's fix is not even cut."""
    if finding.refusal is not None:
        return finding.refusal
    if aim.only_seen and not finding.seen:
        return _NOT_SEEN
    if finding.safety is Safety.DISPLAY:
        return ADVICE
    return _NEEDS_LEAVE if finding.safety is Safety.UNSAFE and not aim.risky else None


UNTRIED = NoFix("left out of this trial")
ADVICE = NoFix("advice only: there is nothing to rewrite in this file")
_NOT_SEEN = NoFix("did no harm in the recorded runs", "leave out --only-observed to take it too")
_NEEDS_LEAVE = NoFix(
    "the fix changes something a caller can see, or rests on an assumption",
    "allow it with --unsafe-fixes, or name a --factory and --inputs to verify it",
)


def _forbidden(finding: Finding, fix: Fix, aim: Aim) -> NoFix | None:
    """Why a fix that was cut may not be made: only the cut knows the safety at its site for certain."""
    return _refusal(replace(finding, safety=fix.safety), aim)


def _collides(fix: Fix, chosen: Iterable[Applied]) -> bool:
    return any(mine.span.overlaps(other.span) for item in chosen for other in item.fix.edits for mine in fix.edits)


def _place(original: Source, source: Source, condition: Condition, trail: Trail) -> tuple[int, int, int, int] | None:
    snippet = source.text[condition.span.start : condition.span.end]
    start, exact = trail.back(condition.span)
    return (*original.position(start), *original.position(start + len(snippet))) if exact else None
