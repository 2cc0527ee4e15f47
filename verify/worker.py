"""The child's side: judges one request and writes the verdict to a file."""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from .limits import MARK, die_with_parent, limit, refuse_network
from .verdict import Request, Verdict, to_plain


def answer(request: Request, work: Path, result: Path, stage: Path, environment: dict[str, str]) -> None:
    """Judge a request in this process, write the verdict, and end the process.

    Args:
        request: the question.
        work: the working directory, empty.
        result: the file for the verdict.
        stage: the file that says what is being done.
        environment: the environment variables.
    """
    _settle_in(work, environment)
    sys.argv = [request.path]

    def tell(doing: str) -> None:
        _write(stage, doing)

    tell("loading the judge")
    try:
        verdict = _judge(request, tell)
    except Exception as error:
        reason = f"the judge failed: {type(error).__name__}: {(str(error).splitlines() or [''])[0]}"
        verdict = Verdict("UNVERIFIED", (reason,), seed=request.seed)
    verdict = replace(verdict, files=_imported(request.path))
    _write(result, json.dumps(to_plain(verdict)))
    # Threads and exit handlers of user code could keep the process alive or undo nothing of interest.
    os._exit(0)


def _write(file: Path, text: str) -> None:
    """Write a file whole or not at all: this process may be ended at any time."""
    draft = file.with_suffix(".draft")
    draft.write_text(text, encoding="utf-8")
    draft.replace(file)


def _judge(request: Request, tell: Callable[[str], None]) -> Verdict:
    from .trial import examine

    limit(request.memory_mb)
    if not request.network:
        refuse_network()
    return examine(request, tell)


def _imported(path: str) -> tuple[str, ...]:
    """The files that modules were loaded from, without what is installed and without the judge."""
    installed = (sys.prefix, sys.base_prefix, str(Path(__file__).parent), str(Path(os.__file__).parent))
    names = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
    files = {str(Path(name).absolute()) for name in names if isinstance(name, str)} - {path}
    return tuple(sorted(f for f in files if f.endswith(".py") and not f.startswith(installed) and Path(f).is_file()))


def _settle_in(work: Path, environment: dict[str, str]) -> None:
    """A session, a working directory and temporary files of its own."""
    os.setsid()
    die_with_parent()
    os.chdir(work)
    sys.path[0] = str(work)
    private = {"TMPDIR": str(work), "TORCHINDUCTOR_CACHE_DIR": str(work / "inductor"), MARK: os.environ.get(MARK, "")}
    os.environ.clear()
    os.environ.update(environment | private)
    tempfile.tempdir = None
    for path in environment.get("PYTHONPATH", "").split(os.pathsep):
        if path and path not in sys.path:
            sys.path.insert(1, path)
    signal.signal(signal.SIGINT, signal.default_int_handler)
