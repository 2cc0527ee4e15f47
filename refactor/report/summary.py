"""What `apply` and `verify` say in words: fixes, verdicts with their counts, totals."""

from __future__ import annotations

import collections
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from ..engine import Rewrite, Standing
from .concise import plural
from .full import where

if TYPE_CHECKING:
    from ..verify.verdict import Counts, Verdict

_COLOURS = {"VERIFIED": "green", "REFUTED": "red", "UNVERIFIED": "yellow"}


def verdict_line(name: str, verdict: Verdict) -> str:
    """`model.py: VERIFIED, breaks 3 -> 0, …`: the status, the counts before and after, the arms, the seed."""
    parts = [click.style(verdict.status, fg=_COLOURS[verdict.status], bold=True)]
    if verdict.before is not None and verdict.after is not None:
        parts += _changes(verdict.before, verdict.after)
        if not verdict.gains:
            parts.append("no gain")
    if verdict.arms:
        reached = sum(arm.exercised for arm in verdict.arms)
        parts.append(f"{reached} of {plural(len(verdict.arms), 'condition')} reached both ways")
    parts.append(f"seed {verdict.seed}")
    return f"{name}: {', '.join(parts)}"


def _changes(before: Counts, after: Counts) -> Iterator[str]:
    yield f"breaks {len(before.break_sites)} -> {len(after.break_sites)}"
    yield f"graphs {before.graphs} -> {after.graphs}"
    for label, old, new in (
        ("skipped frames", before.skipped_frames, after.skipped_frames),
        ("recompiles", before.recompiles, after.recompiles),
        ("recompile-limit hits", before.limit_hits, after.limit_hits),
    ):
        if old or new:
            yield f"{label} {old} -> {new}"
    if before.captured_ratio is not None and after.captured_ratio is not None:
        yield f"captured {before.captured_ratio:.0%} -> {after.captured_ratio:.0%}"


def verdict_details(verdict: Verdict) -> Iterator[str]:
    """The reasons, the break sites that stay, the conditions that no input decided both ways, the counterexample."""
    yield from (f"  {reason}" for reason in verdict.reasons)
    if verdict.after is not None:
        yield from (f"  still breaks at line {site.line}: {site.reason}" for site in verdict.after.break_sites)
    for arm in verdict.arms:
        if not arm.exercised:
            yield f"  the condition at line {arm.line} was true {arm.taken} and false {arm.not_taken} times"
    if verdict.counterexample:
        yield "  counterexample:"
        yield from (f"    {line}" for line in verdict.counterexample.splitlines())


def fixes(result: Rewrite) -> Iterator[str]:
    """The fixes of one file, by the line of their site in the original."""
    if result.fixes:
        yield f"{plural(len(result.fixes), 'change')} in {result.name}:"
    for item, standing in result.fixes:
        declared = f"; changes {', '.join(item.fix.changes)}" if item.fix.changes else ""
        facts = f"{standing.value}, {item.fix.safety.value}{declared}"
        cell = f"cell {item.finding.cell}, " if item.finding.cell else ""
        yield f"  {cell}{item.line}: {item.finding.code} {item.fix.summary} ({facts})"


def dropped(result: Rewrite) -> Iterator[str]:
    """The fixes that were taken back: always said."""
    for item in result.left:
        if item.dropped:
            place = f"{where(result.name, item.finding)}:{item.finding.line}"
            yield f"{place}: {item.finding.code} taken back: {item.reason}"


def standing_notes(results: Sequence[Rewrite]) -> Iterator[str]:
    """Which files were rewritten on static facts alone, and what a fix changes by its own word."""
    unrun = [r for r in results if any(standing is Standing.NOT_RUN for _, standing in r.fixes)]
    if unrun:
        yield f"Not verified: {plural(len(unrun), 'file')} (nothing was run; name a --factory and --inputs to verify)."
    for result in results:
        for item, _ in result.fixes:
            place = f"{where(result.name, item.finding)}:{item.line}: {item.finding.code}"
            yield from (f"{place} changes the {change}." for change in item.fix.changes)
        unproved = sum(standing is Standing.UNVERIFIED for _, standing in result.fixes)
        if unproved:
            yield f"{result.name}: {unproved} of {len(result.fixes)} fixes rest on static facts: no run proved them."


def totals(results: Sequence[Rewrite], verb: str) -> str:
    """The last line: files, fixes by code, findings left."""
    changed = [result for result in results if result.changed]
    counts = collections.Counter(item.finding.code for result in changed for item, _ in result.fixes)
    made = ", ".join(f"{count} x {code}" for code, count in sorted(counts.items()))
    stay = sum(len(result.left) for result in results)
    rest = f"{plural(stay, 'finding')} left." if stay else "Nothing left."
    return f"{verb} {plural(len(changed), 'file')} of {len(results)}{f' ({made})' if made else ''}. {rest}"
