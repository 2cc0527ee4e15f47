"""Unified diffs that `git apply` and `patch -p1` take, byte for byte."""

from __future__ import annotations

import difflib
import os
from pathlib import Path

_PLAIN = 0x20


def patch(old: str, new: str, path: Path) -> str:
    """The difference of two texts as a patch, empty where they are equal.

    Args:
        old: the text before, with its own line endings.
        new: the text after.
        path: the file; the patch names it relative to the working directory, with forward slashes.
    """
    name = relative(path)
    # A header with a `diff --git` line would make git take the names from the root of the repository.
    lines = difflib.unified_diff(_lines(old), _lines(new), _name(f"a/{name}"), _name(f"b/{name}"), lineterm="\n")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def relative(path: Path) -> str:
    """A path relative to the working directory where there is one, with forward slashes."""
    try:
        return Path(os.path.relpath(path)).as_posix()
    except ValueError:  # another drive
        return path.as_posix()


def _lines(text: str) -> list[str]:
    """Lines as git counts them: a carriage return belongs to its line, a form feed ends none."""
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _name(name: str) -> str:
    """A file name as git writes it in a header: quoted where it must be, a tab after it where it has spaces."""
    if any(character in '"\\' or ord(character) < _PLAIN for character in name):
        escapes = {'"': '\\"', "\\": "\\\\", "\t": "\\t", "\n": "\\n"}
        return '"' + "".join(escapes.get(c, c if ord(c) >= _PLAIN else f"\\{ord(c):03o}") for c in name) + '"'
    return f"{name}\t" if " " in name else name
