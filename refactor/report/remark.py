"""What a machine-readable report says about one place: the noun that every such format is written from."""

from __future__ import annotations

import collections
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ..codes import META
from ..errors import UserError
from ..transforms.model import Edit, Finding, NoFix, Safety
from ..transforms.remedies import page
from ..transforms.source import Source
from .diff import relative
from .full import mark, notes

if TYPE_CHECKING:
    from ..engine import Proposal
    from ..work import Checked

Level = Literal["error", "warning", "note"]


@dataclass(frozen=True)
class Replacement:
    """New text for a range; lines and columns count from 1, in characters, the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str


@dataclass(frozen=True)
class Cure:
    """A fix: what it does in words, and the replacements that do it."""

    summary: str
    replacements: tuple[Replacement, ...]


@dataclass(frozen=True)
class Remark:
    """One result at one place.

    Attributes:
        path: relative to the working directory, with forward slashes.
        code: the rule's code, or another stable identifier.
        message: one line; `details` are further ones.
        line, column, end_line, end_column: from 1, columns in characters, the end exclusive; line 0 is the whole file.
        fingerprint: the same for the same place while other lines move.
        cell: of a notebook, in which the lines count; else 0.
    """

    path: str
    code: str
    name: str
    message: str
    level: Level
    line: int
    column: int = 1
    end_line: int = 0
    end_column: int = 1
    details: tuple[str, ...] = ()
    fingerprint: str = ""
    cell: int = 0
    link: str = ""
    cure: Cure | None = None

    @property
    def text(self) -> str:
        """The message, with the cell where there is one."""
        return f"cell {self.cell}, line {self.line}: {self.message}" if self.cell else self.message


def level(finding: Finding) -> Level:
    """How loud a finding is: advice and comments without use are notes."""
    return "note" if finding.code == META or finding.safety is Safety.DISPLAY else "warning"


def link(registry: Sequence[str]) -> str:
    """The address of PyTorch's page on the first of some registry ids, empty where there is none."""
    return page(registry[0]) if registry else ""


def identity(finding: Finding, text: str) -> str:
    """What a finding is recognised by when lines move: its rule and the code on the first line of its place."""
    start, stop = finding.span.start, finding.span.end
    first = (text[start:stop].splitlines() or [""])[0]
    return hashlib.sha256(f"{finding.code}\0{' '.join(first.split())}".encode()).hexdigest()[:16]


def fingerprints(path: str, identities: Iterable[str]) -> Iterator[str]:
    """A fingerprint for each finding of a file, in order: the nth of the same identity is the nth."""
    seen: collections.Counter[str] = collections.Counter()
    for own in identities:
        yield hashlib.sha256(f"{path}\0{own}\0{seen[own]}".encode()).hexdigest()[:32]
        seen[own] += 1


def _readable(name: str) -> str:
    """A relative path in Unicode, also where the locale could not decode it."""
    return relative(Path(name)).encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def remarks(result: Checked) -> list[Remark]:
    """The findings of one file as remarks."""
    path = _readable(result.name)
    prints = fingerprints(path, (identity(finding, result.texts[finding.cell]) for finding in result.findings))
    cures = _cures(result)
    return [
        Remark(
            path=path,
            code=finding.code,
            name=finding.name,
            message=finding.message,
            level=level(finding),
            line=finding.line,
            column=finding.column + 1,
            end_line=finding.end_line,
            end_column=finding.end_column + 1,
            details=tuple(f"{label}: {text}" for label, text in notes(finding)),
            fingerprint=fingerprint,
            cell=finding.cell,
            link=link(finding.registry),
            cure=cure,
        )
        for finding, fingerprint, cure in zip(result.findings, prints, cures, strict=True)
    ]


def _cures(result: Checked) -> list[Cure | None]:
    if not result.fixes:
        return [None] * len(result.findings)
    source = Source(result.texts[0], result.name)
    return [
        Cure(_summary(finding, fix), tuple(_replacement(source, edit) for edit in fix.edits))
        if not isinstance(fix, NoFix)
        else None
        for finding, fix in zip(result.findings, result.fixes, strict=True)
    ]


def _summary(finding: Finding, fix: Proposal) -> str:
    risk = "" if mark(finding) == "[*] " and fix.safety is Safety.SAFE else " (not exact or assumed)"
    return f"{fix.summary}{risk}"


def _replacement(source: Source, edit: Edit) -> Replacement:
    (line, column), (end_line, end_column) = source.position(edit.span.start), source.position(edit.span.end)
    return Replacement(line, column + 1, end_line, end_column + 1, edit.text)


def of_error(error: UserError) -> Remark:
    """A file that could not be treated."""
    name = "" if error.path is None else str(error.path)
    file, _, cell = name.partition(":cell ")
    path = _readable(file) if file else ""
    line = error.line or 0
    (fingerprint,) = fingerprints(path, [error.message])
    number = int(cell) if cell.isdecimal() else 0
    return Remark(path, "error", "error", error.message, "error", line, 1, line, 1, (), fingerprint, number)
