"""Verdicts of earlier runs, kept by content: the same question about the same files is not run again."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterable
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from . import __version__

if TYPE_CHECKING:
    from .verify.verdict import Request, Verdict

FOLDER = ".refactor_cache"
# A verdict reached under a much shorter time limit has seen less.
_LEAST_SHARE = 0.75


def remembered(judge: Callable[[Request], Verdict], folder: Path) -> Callable[[Request], Verdict]:
    """A judge that answers from `folder` what it was asked before.

    An entry holds for the same texts, settings, versions of the tool, torch and Python, and the same content of every
    file of the user's that was imported. Entries are written whole or not at all, so that several processes may share
    the folder; one that cannot be read counts as missing, and a folder that cannot be written is left alone.
    """

    def ask(request: Request) -> Verdict:
        entry = folder / "verdicts" / f"{_key(request)}.json"
        verdict = _read(entry, request.timeout_s)
        if verdict is None:
            verdict = judge(request)
            if verdict.files is not None:
                _write(entry, verdict, request.timeout_s)
        return verdict

    return ask


def _key(request: Request) -> str:
    from .verify.verdict import to_plain

    plain = {**to_plain(request), "timeout_s": None}
    named = [file for spelled in (request.factory, request.inputs) if (file := (spelled or "").rpartition(":")[0])]
    named += request.evidence
    content = {"request": plain, "named": _hashes(named), "path": str(Path(request.path).absolute())}
    versions = [__version__, _torch(), sys.version]
    return hashlib.sha256(json.dumps([versions, content], sort_keys=True).encode()).hexdigest()


def _torch() -> str:
    try:
        return metadata.version("torch")
    except metadata.PackageNotFoundError:
        return ""


def _hashes(files: Iterable[str]) -> dict[str, str]:
    return {file: _hash(file) for file in sorted(files)}


def _hash(file: str) -> str:
    try:
        return hashlib.sha256(Path(file).read_bytes()).hexdigest()
    except OSError:
        return ""


def _read(entry: Path, timeout_s: float) -> Verdict | None:
    from .verify.verdict import verdict_from

    try:
        held = json.loads(entry.read_text(encoding="utf-8"))
        if held["timeout_s"] < _LEAST_SHARE * timeout_s or held["files"] != _hashes(held["files"]):
            return None
        return verdict_from(held["verdict"])
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _write(entry: Path, verdict: Verdict, timeout_s: float) -> None:
    from .verify.verdict import to_plain

    held = {"timeout_s": timeout_s, "files": _hashes(verdict.files or ()), "verdict": to_plain(verdict)}
    store(entry, held, entry.parent.parent)


def store(entry: Path, held: object, top: Path) -> None:
    """Write an entry whole or not at all; `top` is the folder of the cache, which git is told to ignore."""
    with contextlib.suppress(OSError):
        entry.parent.mkdir(parents=True, exist_ok=True)
        ignore = top / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="utf-8")
        handle, draft = tempfile.mkstemp(dir=entry.parent, suffix=".draft")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(held, file)
            Path(draft).replace(entry)
        except BaseException:
            Path(draft).unlink(missing_ok=True)
            raise
