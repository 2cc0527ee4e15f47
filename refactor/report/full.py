"""The full format: each finding with its source line, its reason, and its fix or why there is none."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

import click

from ..passes import Left
from ..transforms.model import Finding, Safety
from ..transforms.remedies import page

_LINE = re.compile(r"\r\n|\r|\n")


def mark(finding: Finding) -> str:
    """`[*]` where `apply` has a fix that needs no leave, `[!]` where it needs one, else empty."""
    if not finding.fixable or finding.safety is Safety.DISPLAY:
        return ""
    return "[!] " if needs_leave(finding) else "[*] "


def needs_leave(finding: Finding) -> bool:
    """True where the fix is not exact or rests on an assumption."""
    return finding.safety is Safety.UNSAFE


def block(name: str, lines: list[str], finding: Finding, left: Left | None = None) -> Iterator[str]:
    """The lines of one finding's report.

    Args:
        name: the file.
        lines: its lines, without endings (`split`).
        finding: of those lines.
        left: why it stayed, after a rewrite.
    """
    gutter = len(str(finding.line))
    bar = click.style(f"{'':{gutter}} |", fg="blue")
    row = lines[finding.line - 1].rstrip() if finding.line <= len(lines) else ""
    stop = finding.end_column if finding.end_line == finding.line else len(row)
    pad, carets = _underline(row, finding.column, stop)
    yield f"{click.style(finding.code, fg='red', bold=True)} {click.style(mark(finding), fg='cyan')}{finding.message}"
    arrow = click.style(f"{'':{gutter}}-->", fg="blue")
    yield f"{arrow} {where(name, finding)}:{finding.line}:{finding.column + 1}"
    yield bar
    yield f"{click.style(f'{finding.line} |', fg='blue')} {row}"
    yield f"{bar} {pad}{click.style(carets, fg='red', bold=True)}"
    for label, text in notes(finding, left):
        first, *rest = ["", *text.splitlines()] if "\n" in text else [text]
        yield f"{'':{gutter}} = {click.style(label, bold=True)}: {first}".rstrip()
        yield from (f"{'':{gutter}}   {line}" for line in rest)
    yield ""


def split(text: str) -> list[str]:
    """The lines of a source text as Python counts them."""
    return _LINE.split(text.removeprefix("\ufeff"))


def _underline(row: str, start: int, stop: int) -> tuple[str, str]:
    pad = "".join("\t" if character == "\t" else " " * _width(character) for character in row[:start])
    return pad, "^" * max(1, sum(map(_width, row[start:stop])))


def _width(character: str) -> int:
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def where(name: str, finding: Finding) -> str:
    """What a finding's file is called, with the cell of a notebook."""
    return f"{name}:cell {finding.cell}" if finding.cell else name


def notes(finding: Finding, left: Left | None = None) -> Iterator[tuple[str, str]]:
    """(label, text) of what is said about a finding besides its message; `left` says why it stayed after a rewrite."""
    if finding.evidence.because:
        yield "why", f"{finding.evidence.because} ({finding.evidence.level.value})"
    if left is not None:
        yield "taken back" if left.dropped else "no fix", left.reason
        if left.remedy:
            yield "see it" if left.dropped and "\n" in left.remedy else "help", left.remedy
    elif finding.refusal is not None:
        yield "no fix", finding.refusal.reason
        if finding.refusal.remedy:
            yield "help", finding.refusal.remedy
    elif finding.safety is Safety.DISPLAY:
        yield "fix", "advice only"
    elif needs_leave(finding):
        yield "fix", "not exact or assumed: needs `refactor apply --unsafe-fixes`, or to be verified"
    else:
        yield "fix", "`refactor apply` rewrites this"
    if finding.registry:
        yield "registry", ", ".join(map(page, finding.registry))
