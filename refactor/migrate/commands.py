"""What `refactor migrate` and its reports do once their options are read."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from ..codes import expand
from ..commands import codes
from ..errors import UserError
from ..work import processors
from .ledger import NAME, Ledger, merge
from .model import Origin, Outcome, Policy
from .run import REPOSITORIES, Plan, Progress, execute
from .sources import origins


def migrate(sources: tuple[str, ...], given: Mapping[str, Any]) -> int:
    """`refactor migrate SOURCE…`; returns the exit status: 1 where a repository failed.

    Raises:
        UserError: an option, a list or the ledger is wrong.
    """
    policy = Policy(**{key: value for key, value in given.items() if key in Policy.__dataclass_fields__})
    expand((*policy.select, *policy.ignore), codes())
    shard = _shard(given["shard"])
    plan = Plan(
        out=Path(given["out"]),
        policy=policy,
        jobs=given["jobs"] or processors(),
        resume=given["resume"] or given["retry_failed"],
        retry_failed=given["retry_failed"],
        scheduler=given["scheduler"] or "",
    )
    with _progress() as progress:
        counts = execute(plan, origins(sources, shard), progress)
    done, failed = counts.get("done", 0), counts.get("failed", 0)
    click.echo(f"Migrated {done} of {done + failed} repositories into {plan.out} (see `refactor migrate report`).")
    return 1 if failed else 0


def _shard(text: str | None) -> tuple[int, int]:
    part, slash, parts = (text or "1/1").partition("/")
    if slash and part.isdigit() and parts.isdigit() and 1 <= int(part) <= int(parts):
        return int(part), int(parts)
    raise UserError(f"`--shard` takes I/N with I from 1 to N, got `{text}`")


class _Lines:
    """Plain lines: one a repository, and the counts at the end."""

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._done = self._failed = self._skipped = 0

    def skipped(self, _: Origin) -> None:
        """A repository was in the ledger already."""
        self._skipped += 1

    def done(self, outcome: Outcome) -> None:
        """A repository is in the ledger."""
        self._done += 1
        self._failed += outcome.status == "failed"
        self.say(outcome)

    def say(self, outcome: Outcome) -> None:
        """A line on one repository."""
        rewritten = sum(file.status == "rewritten" for file in outcome.files)
        what = outcome.error or f"{rewritten} of {len(outcome.files)} files rewritten"
        click.echo(f"{outcome.origin.name}: {outcome.status}, {what}", err=True)

    def counts(self) -> str:
        """The counts so far, as text."""
        rate = 60 * self._done / max(1e-9, time.monotonic() - self._started)
        before = f", {self._skipped} done before" if self._skipped else ""
        return f"{self._done} repositories, {self._failed} failed{before}, {rate:.1f} a minute"


@contextmanager
def _progress() -> Iterator[Progress]:
    """Lines, or a bar with counts and rates where standard error is a terminal."""
    if not sys.stderr.isatty():
        lines = _Lines()
        yield lines
        click.echo(lines.counts(), err=True)
        return
    from rich.console import Console
    from rich.progress import Progress as Bar
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

    class Shown(_Lines):
        def say(self, outcome: Outcome) -> None:
            if outcome.error:
                console.print(f"{outcome.origin.name}: {outcome.error}", markup=False)
            bar.update(task, description=self.counts())

    console = Console(stderr=True)
    with Bar(SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn(), console=console) as bar:
        task = bar.add_task("starting")
        yield Shown()


def report(folder: Path, output_format: str, output: Path | None) -> int:
    """`refactor migrate report DIR`; returns the exit status.

    Raises:
        UserError: there is no ledger, or the report cannot be written.
    """
    from . import reports

    with Ledger(folder / NAME, readonly=True) as ledger:
        if output_format == "html":
            where = reports.html(ledger, folder / REPOSITORIES, output or folder / "report")
            click.echo(f"Wrote {where}")
            return 0
        write = {"json": reports.json_lines, "sarif": reports.sarif, "markdown": reports.markdown}[output_format]
        if output is None:
            for part in write(ledger):
                click.echo(part, nl=False)
        else:
            with output.open("w", encoding="utf-8") as stream:
                stream.writelines(write(ledger))
    return 0


def ledger_merge(folders: tuple[Path, ...], out: Path) -> int:
    """`refactor migrate ledger merge DIR… --out DIR`; returns the exit status.

    Raises:
        UserError: one of them has no ledger, or two of them disagree.
    """
    import shutil

    (out / REPOSITORIES).mkdir(parents=True, exist_ok=True)
    taken = merge(out / NAME, [folder / NAME for folder in folders])
    for name, ledger in taken:
        source, target = ledger.parent / REPOSITORIES / name, out / REPOSITORIES / name
        if source.is_dir():
            shutil.copytree(source, target, dirs_exist_ok=True)
    click.echo(f"Merged {len(taken)} repositories into {out}.")
    return 0
