"""The parent's side: runs the judge in a child process with limits. Imports neither torch nor hypothesis."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from .verdict import Request, Verdict, to_plain, verdict_from


def judge(request: Request) -> Verdict:
    """Judge a request in a child process.

    The child runs in its own session and in an empty working directory, which is removed afterwards; whatever it prints
    is dropped. It is killed at the time limit, with everything that it started in its session.

    Never raises for anything that user code does: a crash, an exit, an endless loop or a lack of memory is a verdict
    UNVERIFIED with the reason.
    """
    with tempfile.TemporaryDirectory(prefix="refactor-verify-", ignore_cleanup_errors=True) as folder:
        work, result, stage = Path(folder, "work"), Path(folder, "result"), Path(folder, "stage")
        work.mkdir()
        command = [sys.executable, "-m", f"{__package__}.worker", str(result), str(stage)]
        child = subprocess.Popen(
            command,
            cwd=work,
            env=_environment(work),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            child.communicate(json.dumps(to_plain(_absolute(request))).encode(), timeout=request.timeout_s)
            reason = _ending(child.returncode)
        except subprocess.TimeoutExpired:
            reason = f"no answer within {request.timeout_s:g} s"
        finally:
            _kill(child)
        return _read(result) or Verdict("UNVERIFIED", (_at(stage, reason),), seed=request.seed)


def _absolute(request: Request) -> Request:
    """The request with paths that hold in another working directory."""
    return replace(
        request,
        path=str(Path(request.path).absolute()),
        factory=_absolute_name(request.factory),
        inputs=_absolute_name(request.inputs),
    )


def _absolute_name(spelled: str | None) -> str | None:
    file, colon, name = (spelled or "").rpartition(":")
    return f"{Path(file).absolute()}:{name}" if colon else spelled


def _environment(work: Path) -> dict[str, str]:
    here = Path.cwd()
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(str(here / path) for path in paths if path),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "TMPDIR": str(work),
        "TORCHINDUCTOR_CACHE_DIR": str(work / "inductor"),
        # One thread sums in one order, on every machine.
        "OMP_NUM_THREADS": "1",
    }


def _ending(code: int) -> str:
    if code < 0:
        with contextlib.suppress(ValueError):
            return f"the process was ended by {signal.Signals(-code).name}"
    return f"the process ended itself with exit code {code}"


def _at(stage: Path, reason: str) -> str:
    """The reason with what was being done, as the child noted it."""
    try:
        doing = stage.read_text(encoding="utf-8").strip()
    except OSError:
        doing = ""
    return f"{reason} while {doing}" if doing else reason


def _kill(child: subprocess.Popen[bytes]) -> None:
    """End the child and everything that is left of its session."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    with contextlib.suppress(OSError, ValueError):
        if child.stdin:
            child.stdin.close()
    child.wait()


def _read(result: Path) -> Verdict | None:
    try:
        return verdict_from(json.loads(result.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError, KeyError):
        return None
