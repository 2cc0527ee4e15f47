"""The child's side: judges one request and writes the verdict to a file."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import signal
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from .verdict import Request, Verdict, to_plain

_PR_SET_PDEATHSIG = 1
_MAX_FILE_MB = 256


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
        stage.write_text(doing, encoding="utf-8")

    tell("loading the judge")
    try:
        verdict = _judge(request, tell)
    except Exception as error:
        reason = f"the judge failed: {type(error).__name__}: {(str(error).splitlines() or [''])[0]}"
        verdict = Verdict("UNVERIFIED", (reason,), seed=request.seed)
    verdict = replace(verdict, files=_imported(request.path))
    draft = result.with_suffix(".draft")
    draft.write_text(json.dumps(to_plain(verdict)), encoding="utf-8")
    draft.replace(result)
    # Threads and exit handlers of user code could keep the process alive or undo nothing of interest.
    os._exit(0)


def _judge(request: Request, tell: Callable[[str], None]) -> Verdict:
    from .trial import examine

    _limit(request.memory_mb)
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
    private = {"TMPDIR": str(work), "TORCHINDUCTOR_CACHE_DIR": str(work / "inductor")}
    os.environ.clear()
    os.environ.update(environment | private)
    tempfile.tempdir = None
    for path in environment.get("PYTHONPATH", "").split(os.pathsep):
        if path and path not in sys.path:
            sys.path.insert(1, path)
    signal.signal(signal.SIGINT, signal.default_int_handler)


def die_with_parent() -> None:
    """Be killed when the parent ends, and leave no core behind."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _limit(memory_mb: int) -> None:
    """Limit private memory to what is taken already plus `memory_mb`, and the size of written files.

    RLIMIT_DATA rather than RLIMIT_AS: accelerator runtimes reserve address space far beyond what they use.
    """
    page = resource.getpagesize()
    try:
        taken = int(Path("/proc/self/statm").read_text().split()[5]) * page
    except (OSError, ValueError):
        taken = 2 << 30
    size = taken + (memory_mb << 20)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_DATA, (size, size))
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_FSIZE, (_MAX_FILE_MB << 20, _MAX_FILE_MB << 20))
