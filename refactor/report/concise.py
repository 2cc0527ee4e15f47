"""The concise format: a line a finding, and the counts."""

from __future__ import annotations

import collections
from collections.abc import Iterable, Iterator

import click

from ..passes import Left
from ..transforms.model import Finding, NoFix
from ..transforms.remedies import page
from .full import mark, where


def line(name: str, finding: Finding, left: Left | None = None) -> str:
    """One finding on one line, with the reason, the remedy and the registry pages where it stays; columns from 1.

    Args:
        name: the file.
        finding: of that file.
        left: why it stayed, after a rewrite.
    """
    place = f"{where(name, finding)}:{finding.line}:{finding.column + 1}: "
    code = click.style(finding.code, fg="red", bold=True)
    why = left or finding.refusal
    return f"{place}{code} {mark(finding)}{finding.message}{f' ({_stays(finding, why)})' if why else ''}"


def _stays(finding: Finding, why: Left | NoFix) -> str:
    """On one line: a remedy of several, such as a counterexample, is left to the full format."""
    help_ = why.remedy if "\n" not in why.remedy else ""
    taken = "taken back: " if isinstance(why, Left) and why.dropped else ""
    return "; ".join(part for part in (taken + why.reason, help_, " ".join(map(page, finding.registry))) if part)


def statistics(findings: Iterable[Finding]) -> Iterator[str]:
    """How many findings each rule has, the most frequent first."""
    found = list(findings)
    counts = collections.Counter((finding.code, finding.name) for finding in found)
    fixable = collections.Counter((finding.code, finding.name) for finding in found if mark(finding))
    width = len(str(max(counts.values(), default=0)))
    for (code, name), count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        yield f"{count:>{width}}  {code}  {name}  ({fixable[code, name]} fixable)"


def plural(count: int, word: str) -> str:
    """`1 file`, `2 files`."""
    return f"{count} {word}{'' if count == 1 else 's'}"


def totals(findings: Iterable[Finding], files: int) -> str:
    """The last line of `check`."""
    found = list(findings)
    if not found:
        return f"Nothing found in {plural(files, 'file')}."
    ready = sum(mark(finding) == "[*] " for finding in found)
    risky = sum(mark(finding) == "[!] " for finding in found)
    more = f", {risky} more with `--unsafe-fixes` or when verified" if risky else ""
    fixes = f"{ready} fixable with `refactor apply`{more}"
    return f"Found {plural(len(found), 'finding')} in {plural(files, 'file')} ({fixes})."
