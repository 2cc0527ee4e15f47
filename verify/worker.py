"""The child's side: does one task about a request and writes the answer to a file."""

from __future__ import annotations

import functools
import json
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from .limits import MARK, die_with_parent, limit, refuse_network
from .verdict import Request, Verdict, to_plain


def answer(
    request: Request,
    work: Path,
    result: Path,
    stage: Path,
    environment: dict[str, str],
    task: str = "judge",
    more: Mapping[str, Any] = MappingProxyType({}),
) -> None:
    """Do a task about a request in this process, write the answer, and end the process.

    Args:
        request: the question.
        work: the working directory, empty.
        result: the file for the answer.
        stage: the file that says what is being done.
        environment: the environment variables.
        task: what to do (see `TASKS`).
        more: what the task needs besides.
    """
    _settle_in(work, environment)
    sys.argv = [request.path]

    def tell(doing: str) -> None:
        _write(stage, doing)

    tell("loading the judge")
    _write(result, TASKS[task](request, tell, more))
    # Threads and exit handlers of user code could keep the process alive or undo nothing of interest.
    os._exit(0)


def _write(file: Path, text: str) -> None:
    """Write a file whole or not at all: this process may be ended at any time."""
    draft = file.with_suffix(".draft")
    draft.write_text(text, encoding="utf-8")
    draft.replace(file)


def _judge(request: Request, tell: Callable[[str], None], _: Mapping[str, Any]) -> str:
    """The verdict."""
    try:
        from .trial import examine

        _confine(request)
        verdict = examine(request, tell, beside=True)
    except Exception as error:
        verdict = Verdict("UNVERIFIED", (f"the judge failed: {one_line(error)}",), seed=request.seed)
    return json.dumps(to_plain(replace(verdict, files=_imported(request.path))))


def _explain(request: Request, tell: Callable[[str], None], more: Mapping[str, Any], task: str) -> str:
    """What was recorded or timed; `{"error": …}` where that is not possible."""
    import msgspec

    from . import explain
    from .ledger import Found, Recorded, Timings
    from .targets import TargetError

    _confine(request)
    found = msgspec.convert(more.get("found", ()), list[Found])
    told: Recorded | Timings
    try:
        if task == "record":
            told = explain.record(request, more["role"], found, tell, Path.cwd())
        else:
            told = explain.timed(request, found, more["left_out"], tell)
    except TargetError as error:
        return json.dumps({"error": str(error)})
    except Exception as error:
        return json.dumps({"error": f"measuring failed: {one_line(error)}"})
    return msgspec.json.encode(told).decode()


def _confine(request: Request) -> None:
    limit(request.memory_mb)
    if not request.network:
        refuse_network()


def one_line(error: Exception) -> str:
    """The exception as a line: `ValueError: at most 64`."""
    return f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"


TASKS: Mapping[str, Callable[[Request, Callable[[str], None], Mapping[str, Any]], str]] = {
    "judge": _judge,
    "record": functools.partial(_explain, task="record"),
    "time": functools.partial(_explain, task="time"),
}


def _imported(path: str) -> tuple[str, ...]:
    """The files that modules were loaded from, without what is installed and without the judge."""
    installed = (sys.prefix, sys.base_prefix, str(Path(__file__).parent), str(Path(os.__file__).parent))
    names = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
    files = {str(Path(name).absolute()) for name in names if isinstance(name, str)} - {path}
    return tuple(sorted(f for f in files if f.endswith(".py") and not f.startswith(installed) and Path(f).is_file()))


def work_in(folder: Path) -> None:
    """Make a directory this process's own: for working in, for temporary files and for the compiler's cache."""
    os.chdir(folder)
    sys.path[0] = str(folder)
    os.environ |= {"TMPDIR": str(folder), "TORCHINDUCTOR_CACHE_DIR": str(folder / "inductor")}
    tempfile.tempdir = None


def _settle_in(work: Path, environment: dict[str, str]) -> None:
    """A session, a working directory and temporary files of its own."""
    os.setsid()
    die_with_parent()
    mark = os.environ.get(MARK, "")
    os.environ.clear()
    os.environ.update(environment | {MARK: mark})
    work_in(work)
    for path in environment.get("PYTHONPATH", "").split(os.pathsep):
        if path and path not in sys.path:
            sys.path.insert(1, path)
    signal.signal(signal.SIGINT, signal.default_int_handler)
