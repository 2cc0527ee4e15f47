"""What `check` found in earlier runs: a file that is as it was, beside files that are as they were, is not parsed."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from . import __version__
from .cache import FOLDER, store
from .signs import Signs, signs_of
from .transforms.model import Evidence, Finding, Level, NoFix, RuleSettings, Safety, Span

_FOLDER = Path(FOLDER, "findings")


@dataclasses.dataclass(frozen=True)
class Question:
    """What is asked of one file.

    Attributes:
        path: where the file stands, absolute.
        select, complete, settings: as in `Options`.
    """

    path: str
    select: frozenset[str]
    complete: bool
    settings: RuleSettings

    @functools.cached_property
    def entry(self) -> Path:
        """Where the answer is kept: each file has one for each way to ask, so that a folder does not grow forever."""
        plain = {f.name: _plain(getattr(self.settings, f.name)) for f in dataclasses.fields(self.settings)}
        asked = json.dumps([sorted(self.select), self.complete, plain], sort_keys=True)
        name = hashlib.sha256(os.fsencode(self.path) + b"\0" + asked.encode()).hexdigest()
        return _FOLDER / name[:2] / f"{name[2:40]}.json"


def _plain(value: object) -> object:
    return sorted(value) if isinstance(value, frozenset) else value


def recall(question: Question, data: bytes) -> tuple[Finding, ...] | None:
    """What was found when the file was the same bytes, and every file that was looked at for it the same."""
    try:
        held = json.loads(question.entry.read_bytes())
        if held["by"] != _version() or held["content"] != _hash(data) or not _unchanged(held["around"]):
            return None
        return tuple(map(_finding, held["findings"]))
    except (OSError, ValueError, TypeError, KeyError):
        return None


def remember(question: Question, data: bytes, around: Signs, findings: tuple[Finding, ...]) -> None:
    """Keep what was found in a file of these bytes; `around` is what was asked of other files meanwhile."""
    held = {"by": _version(), "content": _hash(data), "around": around, "findings": list(map(_row, findings))}
    store(question.entry, held, _FOLDER.parent)


def forget_signs() -> None:
    """Ask the file system anew: a run looks at each neighbour once."""
    _sign.cache_clear()


def _unchanged(around: Mapping[str, Any]) -> bool:
    return all(_sign(path, isinstance(sign, list)) == sign for path, sign in around.items())


@functools.lru_cache(maxsize=1 << 16)
def _sign(path: str, content: bool) -> object:
    return signs_of(path, content)


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@functools.cache
def _version() -> str:
    """This tool, down to the dates of its own files, and this Python."""
    digest = hashlib.sha256(f"{__version__} {sys.version}".encode())
    here = Path(__file__).parent
    for folder in (here, Path(sys.modules[RuleSettings.__module__].__file__ or here).parent):
        for file in sorted((*folder.rglob("*.py"), *folder.rglob("*.json"))):
            status = file.stat()
            digest.update(f"{file} {status.st_size} {status.st_mtime_ns}\n".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def _row(item: Finding) -> list[Any]:
    """A finding without its plan."""
    return [
        *(item.code, item.name, item.message, item.span.start, item.span.end),
        *(item.line, item.column, item.end_line, item.end_column),
        *(item.evidence.level.value, item.evidence.because, item.safety and item.safety.value),
        [item.refusal.reason, item.refusal.remedy] if item.refusal else None,
        list(item.registry),
    ]


def _finding(row: list[Any]) -> Finding:
    code, name, message, start, end, line, column, end_line, end_column, level, because, safety, refusal, registry = row
    return Finding(
        *(code, name, message, Span(start, end), line, column, end_line, end_column),
        evidence=Evidence(Level(level), because),
        safety=Safety(safety) if safety else None,
        refusal=NoFix(*refusal) if refusal else None,
        registry=tuple(registry),
    )
