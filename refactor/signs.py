"""What is asked of files beside the one looked at, noted so that a later run can tell whether it holds still."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

Signs = dict[str, "list[int] | bool"]
_asked: list[Signs] = []  # who wants to know, the innermost last


@contextmanager
def noted() -> Iterator[Signs]:
    """Note what is asked: of a file whose content matters its `signs_of`, of others whether they exist."""
    _asked.append({})
    try:
        yield _asked[-1]
    finally:
        _asked.pop()


def ask(path: Path, content: bool) -> list[int] | bool:
    """The signs of a file, which whoever notes them is told."""
    signs = signs_of(path, content)
    for told in _asked:
        told[str(path)] = signs
    return signs


def signs_of(path: str | Path, content: bool) -> list[int] | bool:
    """What changes when a file does (empty where there is none), or, where that is all, whether it exists."""
    try:
        status = os.stat(path)  # noqa: PTH116  # it is asked thousands of times
    except (OSError, ValueError):
        return [] if content else False
    kind = stat.S_IFMT(status.st_mode)
    return [kind, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino] if content else True
