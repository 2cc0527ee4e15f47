"""`refactor trace`: runs the user's program with a recorder in it, and gathers what the recorder left behind."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import click

from . import __version__, verify
from .errors import UserError
from .verify.assemble import assembled
from .verify.trace import Run, Trace, TraceError, decoded, encoded, merged

FOLDER = ".refactor"
_BOOT = Path(verify.__file__).resolve().parent / "boot"


def trace(command: Sequence[str], output: Path | None, append: bool, contents: bool) -> int:
    """Run a command under the recorder and write the trace; returns the exit status of the command.

    Args:
        command: what to run, as a shell would.
        output: where the trace goes; `.refactor/trace.json` by default, with the rank in its name where there is one.
        append: whether the runs in that file are kept.
        contents: whether the elements of tensors are recorded.

    Raises:
        UserError: the command cannot be started, or the trace cannot be written or appended to.
    """
    place = output or default_output()
    before = [read(place)] if append and place.exists() else []
    _prepare(place)
    with _folder(place.parent) as folder:
        started = time.time()
        pid, status = _run(command, {"REFACTOR_TRACE": str(folder), "REFACTOR_TRACE_CONTENTS": str(int(contents))})
        runs = _gathered(folder)
        main = next((run for run in runs if run.pid == pid), None)
        if main is None:
            main = Run(command=list(command), pid=pid, started=started, seconds=time.time() - started)
            runs.insert(0, main)
        main.ended = _ending(status)
        result = merged([*before, Trace(version=__version__, runs=runs)])
        _write(place, encoded(result))
    if sys.stderr.isatty():
        click.echo(f"{place}: {summary(runs)}", err=True)
    return status if status >= 0 else 128 - status


def default_output(environment: Mapping[str, str] = os.environ) -> Path:
    """Where the trace of this process goes: one file for each rank of a distributed run."""
    rank = environment.get("RANK", "")
    return Path(FOLDER, f"trace-rank{rank}.json" if rank.isdigit() else "trace.json")


def read(path: Path) -> Trace:
    """A trace that was written before.

    Raises:
        UserError: there is none, or it is something else.
    """
    try:
        return decoded(path.read_bytes())
    except OSError as error:
        raise UserError(f"cannot be read: {error.strerror}; make one with `refactor trace`", path) from None
    except TraceError as error:
        raise UserError(str(error), path) from None


def summary(runs: Sequence[Run]) -> str:
    """One line on what some runs hold."""
    sites = {(site.path, site.line) for run in runs for site in run.breaks}
    skipped = sum(not skip.limit and not skip.empty for run in runs for skip in run.skips)
    recompiles = sum(len(run.recompiles) for run in runs)
    graphs = sum(len(run.graphs) for run in runs)
    counts = ((len(sites), "break site"), (skipped, "skipped frame"), (recompiles, "recompile"), (graphs, "graph"))
    return ", ".join(f"{count} {word}{'' if count == 1 else 's'}" for count, word in counts)


def _run(command: Sequence[str], settings: Mapping[str, str]) -> tuple[int, int]:
    """Run the command with our streams; its process id and its status, negative for a signal.

    Raises:
        UserError: it cannot be started.
    """
    paths = [str(_BOOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, **settings, "PYTHONPATH": os.pathsep.join(paths)}
    try:
        process = subprocess.Popen(list(command), env=environment)
    except OSError as error:
        raise UserError(f"cannot be started: {error.strerror}", command[0]) from None
    with _signals_for(process):
        return process.pid, process.wait()


@contextmanager
def _signals_for(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """While the command runs, it is the one to decide what an interrupt means; we stay to write what there is."""
    kept = {}
    for number in (signal.SIGINT, signal.SIGQUIT):
        kept[number] = signal.signal(number, signal.SIG_IGN)
    for number in (signal.SIGTERM, signal.SIGHUP):
        kept[number] = signal.signal(number, lambda number, _: process.send_signal(number))
    try:
        yield
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)


def _gathered(folder: Path) -> list[Run]:
    """The runs of all journals, by their start."""
    runs = [run for file in sorted(folder.glob("*.jsonl")) if (run := assembled(file)) is not None]
    return sorted(runs, key=lambda run: (run.rank or 0, run.started))


def _ending(status: int) -> str:
    return f"exit {status}" if status >= 0 else signal.Signals(-status).name


def _prepare(place: Path) -> None:
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        if place.parent == Path(FOLDER) and not Path(FOLDER, ".gitignore").exists():
            Path(FOLDER, ".gitignore").write_text("*\n", encoding="utf-8")
    except OSError as error:
        raise UserError(f"cannot be written: {error.strerror}", place) from None


@contextmanager
def _folder(parent: Path) -> Iterator[Path]:
    """A folder for the journals; they are as large as the trace, so they lie beside it."""
    folder = Path(tempfile.mkdtemp(dir=parent, prefix="recording-")).absolute()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _write(place: Path, data: bytes) -> None:
    draft = place.with_name(f".{place.name}.{os.getpid()}")
    try:
        draft.write_bytes(data)
        draft.replace(place)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise UserError(f"cannot be written: {error.strerror}", place) from None
