"""The concise format: a line a finding, and the counts."""

from __future__ import annotations

import collections
from collections.abc import Iterable, Iterator

import click

from ..transforms.model import Finding
from .full import mark


def line(name: str, finding: Finding, reason: str = "") -> str:
    """One finding on one line; its column counts from 1."""
    place = f"{name}:{finding.line}:{finding.column + 1}: "
    code = click.style(finding.code, fg="red", bold=True)
    return f"{place}{code} {mark(finding)}{finding.message}{f' ({reason})' if reason else ''}"


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
