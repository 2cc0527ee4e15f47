"""Which lines changed since a git revision."""

from __future__ import annotations

import difflib
import os
import subprocess
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from . import notebook
from .baseline import only
from .errors import UserError
from .files import decode
from .report.full import split

if TYPE_CHECKING:
    from .work import Checked


class Changes:
    """The changes since `revision`; `main...` stands for the point where this branch left `main`.

    A text is compared with the one that the revision has, so that standard input and an open buffer have changed lines
    too. A file that the revision has not is new as a whole.

    Raises:
        UserError: no git, no repository, or no such revision.
    """

    def __init__(self, revision: str) -> None:
        self._revision = revision
        if revision.endswith("..."):
            self._commit = _git("merge-base", revision.removesuffix("..."), "HEAD", said=revision).strip()
        else:
            self._commit = _git("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}", said=revision).strip()
        self._top = Path(_git("rev-parse", "--show-toplevel").rstrip("\n"))

    @cached_property
    def _renamed(self) -> dict[str, str]:
        """The former name of each renamed file."""
        told = _git("diff", "-M", "--name-status", "-z", "--diff-filter=R", self._commit, "--").split("\0")
        return {new: old for _, old, new in zip(told[::3], told[1::3], told[2::3], strict=False)}

    def narrowed(self, result: Checked) -> Checked:
        """A file's result with the findings that have a changed line."""
        if not result.findings:
            return result
        before = self._before(result.path)
        if before is None:
            return result
        lines = {cell: _changed(before.get(cell, ""), text) for cell, text in result.texts.items()}
        return only(
            result,
            (f for f in result.findings if any(line in lines[f.cell] for line in range(f.line, f.end_line + 1))),
        )

    def _before(self, path: Path) -> dict[int, str] | None:
        """The texts of a file in the revision, by cell; None where it had none."""
        name = Path(os.path.relpath(os.path.realpath(path), os.path.realpath(self._top))).as_posix()
        done = _run("show", f"{self._commit}:{self._renamed.get(name, name)}")
        if done.returncode:
            return None
        try:
            text = decode(done.stdout, path).text
            if path.suffix != notebook.SUFFIX:
                return {0: text}
            return {cell.number: cell.text for cell in notebook.read(text, str(path)).cells}
        except UserError:
            return None


def _changed(before: str, after: str) -> set[int]:
    """The lines of `after`, from 1, that `before` has not."""
    matcher = difflib.SequenceMatcher(None, split(before), split(after), autojunk=False)
    return {
        line + 1 for kind, _, _, start, stop in matcher.get_opcodes() if kind != "equal" for line in range(start, stop)
    }


def _git(*arguments: str, said: str = "") -> str:
    done = _run(*arguments)
    if done.returncode:
        reason = done.stderr.decode("utf-8", "replace").strip() or f"there is no revision `{said}`"
        raise UserError(f"git {arguments[0]} says: {reason}", "--diff-filter")
    return done.stdout.decode("utf-8", "surrogateescape")


def _run(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(["git", *arguments], capture_output=True, check=False)
    except OSError as error:
        raise UserError(f"git cannot be run: {error.strerror}", "--diff-filter") from None
