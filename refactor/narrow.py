"""Which findings `check` reports: those since a revision, those beyond a baseline, those that are not ignored."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from .baseline import Baseline, only, update
from .changed import Changes
from .errors import UserError
from .files import read, write
from .ignoring import ignored
from .notebook import SUFFIX
from .work import Checked, Task


def narrowed(given: Mapping[str, Any], check: Callable[[], Iterable[Checked]]) -> list[Checked]:
    """The results of `check`, less what the options leave out; a baseline is written where that is asked for.

    Raises:
        UserError: options that do not go together, a wrong baseline or revision.
    """
    file = given.get("baseline")
    if given.get("update_baseline") and (file is None or given.get("diff_filter") or given.get("add_ignore")):
        raise UserError("`--update-baseline` needs `--baseline FILE`, and neither --diff-filter nor --add-ignore")
    # What is wrong with the options is said before any work is done.
    changes = Changes(given["diff_filter"]) if given.get("diff_filter") else None
    baseline = Baseline(file) if file is not None and not given.get("update_baseline") else None
    results = list(check())
    if given.get("update_baseline") and file is not None:
        update(file, results)
    if changes is not None:
        results = [changes.narrowed(result) for result in results]
    return [baseline.new(result) for result in results] if baseline is not None else results


def add_ignores(tasks: Sequence[Task], results: Sequence[Checked]) -> tuple[list[Checked], list[UserError]]:
    """Add an ignore comment for every finding; what is left has no room for one.

    Raises:
        UserError: standard input is to be changed.
    """
    left, errors = [], []
    for task, result in zip(tasks, results, strict=True):
        if task.file is not None:
            raise UserError("`--add-ignore` changes files, and standard input is none")
        if not result.findings or task.path.suffix == SUFFIX:
            left.append(result)
            continue
        file = read(task.path)
        if file.text != result.texts[0]:
            errors.append(UserError("changed while it was being checked; left alone, run again", task.path))
            continue
        try:
            text, rest = ignored(file.text, task.name, result.findings)
            if text != file.text:
                write(file, text)
        except UserError as error:
            errors.append(error)
            rest = list(result.findings)
        # Comments at the ends of lines move no line and no column.
        left.append(only(result, rest))
    return left, errors
