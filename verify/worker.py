"""The child's side: reads a request from standard input, judges it, and writes the verdict to a file."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import signal
import sys
from pathlib import Path

from .verdict import Request, Verdict, request_from, to_plain

_PR_SET_PDEATHSIG = 1
_MAX_FILE_MB = 256


def main() -> int:
    """Run as `python -m refactor.verify.worker RESULT STAGE`; both are files to write."""
    result, stage = Path(sys.argv[1]), Path(sys.argv[2])
    request = request_from(json.load(sys.stdin))
    sys.argv = [request.path]
    _leave_parent()

    def tell(doing: str) -> None:
        stage.write_text(doing, encoding="utf-8")

    tell("importing torch")
    try:
        verdict = _judge(request, tell)
    except ModuleNotFoundError as error:
        verdict = Verdict("UNVERIFIED", (f"{error.name} is not installed",), seed=request.seed)
    except Exception as error:
        reason = f"the judge failed: {type(error).__name__}: {(str(error).splitlines() or [''])[0]}"
        verdict = Verdict("UNVERIFIED", (reason,), seed=request.seed)
    draft = result.with_suffix(".draft")
    draft.write_text(json.dumps(to_plain(verdict)), encoding="utf-8")
    draft.replace(result)
    # Threads and exit handlers of user code could keep the process alive or undo nothing of interest.
    os._exit(0)


def _judge(request: Request, tell: object) -> Verdict:
    import torch

    from .trial import examine

    torch.set_num_threads(1)
    _limit(request.memory_mb)
    return examine(request, tell)  # type: ignore[arg-type]  # torch is not imported for the annotation


def _leave_parent() -> None:
    """Die with the parent, read nothing more, and leave no core behind."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
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


if __name__ == "__main__":
    sys.exit(main())
