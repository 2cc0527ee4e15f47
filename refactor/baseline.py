"""A baseline: the findings that a repository has when it adopts the tool, so that only further ones are reported."""

from __future__ import annotations

import collections
import json
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from .errors import UserError
from .report.remark import identity

if TYPE_CHECKING:
    from .transforms.model import Finding
    from .work import Checked

SCHEMA = 1


class Baseline:
    """The findings that are known, by file relative to the baseline's folder, each as often as it was found.

    Raises:
        UserError: the file cannot be read, or is no baseline.
    """

    def __init__(self, file: Path) -> None:
        self._root = Path(os.path.abspath(file.parent))  # noqa: PTH100
        try:
            held = json.loads(file.read_text("utf-8"))
            files = {SCHEMA: held["files"]}[held["schema"]]
            self._files = {
                path: collections.Counter({key: int(n) for key, n in own.items()}) for path, own in files.items()
            }
        except FileNotFoundError:
            raise UserError("no such baseline; write one with --update-baseline", file) from None
        except (OSError, UnicodeDecodeError) as error:
            raise UserError(f"cannot be read: {error}", file) from None
        except (ValueError, TypeError, KeyError, AttributeError):
            raise UserError("not a baseline of this version; write one with --update-baseline", file) from None

    def new(self, result: Checked) -> Checked:
        """A file's result without the findings that are known."""
        known = collections.Counter(self._files.get(_relative(result.path, self._root), ()))
        fresh = []
        for finding in result.findings:
            key = _key(finding, result)
            if known[key] > 0:
                known[key] -= 1
            else:
                fresh.append(finding)
        return only(result, fresh)


def only(result: Checked, wanted: Iterable[Finding]) -> Checked:
    """A file's result with some of its findings."""
    kept = {id(finding) for finding in wanted}
    pairs = [(index, finding) for index, finding in enumerate(result.findings) if id(finding) in kept]
    fixes = tuple(result.fixes[index] for index, _ in pairs) if result.fixes else ()
    return replace(result, findings=tuple(finding for _, finding in pairs), fixes=fixes)


def update(file: Path, results: Iterable[Checked]) -> None:
    """Write the baseline of some results.

    Raises:
        UserError: it cannot be written.
    """
    root = Path(os.path.abspath(file.parent))  # noqa: PTH100
    files = {
        _relative(result.path, root): dict(
            sorted(collections.Counter(_key(f, result) for f in result.findings).items())
        )
        for result in results
        if result.findings
    }
    text = json.dumps({"schema": SCHEMA, "tool": "torch-refactor", "files": dict(sorted(files.items()))}, indent=2)
    try:
        file.write_text(f"{text}\n", "utf-8")
    except OSError as error:
        raise UserError(f"cannot be written: {error.strerror}", file) from None


def _key(finding: Finding, result: Checked) -> str:
    return f"{finding.code}:{identity(finding, result.texts[finding.cell])}"


def _relative(path: Path, root: Path) -> str:
    try:
        return Path(os.path.relpath(path, root)).as_posix()
    except ValueError:  # another drive
        return path.as_posix()
