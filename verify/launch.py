"""The parent's side: runs the judge in child processes with limits. Imports neither torch nor hypothesis."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from .limits import MARK, marked
from .verdict import Request, Verdict, to_plain, verdict_from

# Importing torch can take long on a cold disk; this is no part of a request's own limit.
_START_S = 120.0
# How long a killed process may take to be gone.
_END_S = 10.0


def judge(request: Request) -> Verdict:
    """Judge a request in a child process.

    The child is forked from a server that has torch loaded; the server is started with the first request and ends with
    this process. The child runs in its own session and in an empty working directory, which is removed afterwards;
    whatever it prints is dropped. It is killed at the time limit, with everything that it started in its session.

    Never raises for anything that user code does: a crash, an exit, an endless loop or a lack of memory is a verdict
    UNVERIFIED with the reason.
    """
    answer, reason = asked(request)
    return _verdict(answer) or Verdict("UNVERIFIED", (reason,), seed=request.seed)


def asked(request: Request, task: str = "judge", **more: object) -> tuple[bytes, str]:
    """Have a task done about a request in a child process (see `judge`).

    Args:
        request: what it is about; its limits hold.
        task: `judge`, `record` or `time` (see `worker.TASKS`).
        more: what that task needs besides, as JSON-ready data.

    Returns:
        The answer as JSON, empty where there is none; and then why there is none.
    """
    with tempfile.TemporaryDirectory(prefix="refactor-verify-", ignore_cleanup_errors=True) as folder:
        work, result, stage = Path(folder, "work"), Path(folder, "result"), Path(folder, "stage")
        work.mkdir()
        question = {
            "request": to_plain(_absolute(request)),
            "task": task,
            "more": more,
            "work": str(work),
            "result": str(result),
            "stage": str(stage),
            "environment": _environment(),
        }
        with _servers.one() as server:
            reason = server.ask(question, request.timeout_s)
        answer = result.read_bytes() if result.is_file() else b""
        return answer, "" if answer else _at(stage, reason)


class _Server:
    """A process that has torch loaded and forks a child for each question."""

    def __init__(self) -> None:
        self._mark = uuid.uuid4().hex
        self._ours, theirs = socket.socketpair()
        self._process = subprocess.Popen(
            [sys.executable, "-m", f"{__package__}.warm", str(theirs.fileno())],
            cwd=os.sep,
            env={**_environment(), MARK: self._mark},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(theirs.fileno(),),
            start_new_session=True,
        )
        theirs.close()
        self._lines = b""

    @property
    def alive(self) -> bool:
        """True where it can be asked."""
        return self._process.poll() is None

    def ask(self, question: Mapping[str, object], timeout_s: float) -> str:
        """Have a question answered into its result file; how the child ended, for where there is no answer."""
        child: int | None = None
        ended: dict[str, Any] | None = None
        try:
            self._ours.sendall(json.dumps(question).encode() + b"\n")
            told = self._line(_START_S)
            if told is None or "pid" not in told:
                return str(told["reason"]) if told else "the judge did not start"
            child = told["pid"]
            ended = self._line(timeout_s)
            if ended is None:
                return f"no answer within {timeout_s:g} s"
            return str(ended["reason"]) or _ending(ended["code"])
        except OSError:
            return "the judge was ended from outside"
        finally:
            if child is not None and ended is None:
                self._end(child)

    def _end(self, child: int) -> None:
        """End a child and its session; without word of its end the server is of no use any more."""
        for end in (os.killpg, os.kill):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                end(child, signal.SIGKILL)
        try:
            gone = self._line(_END_S) is not None
        except OSError:
            gone = False
        if not gone:
            self.close()

    def _line(self, timeout_s: float) -> dict[str, Any] | None:
        """The next message; None where none comes in time.

        Raises:
            OSError: none will come any more, because the server is gone.
        """
        limit = time.monotonic() + timeout_s
        while b"\n" not in self._lines:
            left = limit - time.monotonic()
            if left <= 0:
                return None
            self._ours.settimeout(left)
            try:
                data = self._ours.recv(65536)
            except TimeoutError:
                return None
            if not data:
                raise ConnectionError
            self._lines += data
        line, _, self._lines = self._lines.partition(b"\n")
        return json.loads(line)  # type: ignore[no-any-return]

    def kill(self) -> None:
        """End it; whoever waits for it hears of that, and closes it."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def close(self) -> None:
        """End it, and every process that stems from it."""
        self._ours.close()
        self.kill()
        self._process.wait()
        for pid in marked(f"{MARK}={self._mark}"):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)


class _Servers:
    """The servers of this process; as many as questions are asked at once."""

    def __init__(self) -> None:
        self._idle: list[_Server] = []
        self._busy: list[_Server] = []
        self._lock = threading.Lock()
        self._owner = os.getpid()
        self._stopped = False

    @contextmanager
    def one(self) -> Iterator[_Server]:
        """A server for the time of the block.

        Raises:
            KeyboardInterrupt: all of them were stopped.
        """
        with self._lock:
            if self._owner != os.getpid():
                # A forked process must not speak on its parent's sockets.
                self._idle, self._busy, self._owner = [], [], os.getpid()
            server = self._idle.pop() if self._idle else None
        if server is None or not server.alive:
            server = _Server()
        with self._lock:
            self._busy.append(server)
        try:
            self._heed()
            yield server
            self._heed()
        except BaseException:
            server.close()
            raise
        finally:
            with self._lock:
                self._busy.remove(server)
        if server.alive:
            with self._lock:
                self._idle.append(server)

    def _heed(self) -> None:
        if self._stopped:
            raise KeyboardInterrupt

    def prepare(self) -> None:
        """Start one, unless there is one."""
        with self._lock:
            if not self._idle and not self._busy and self._owner == os.getpid():
                self._idle.append(_Server())

    def stop(self) -> None:
        """End all of them, those that other threads wait for as well; none is started any more."""
        self._stopped = True
        with self._lock:
            for server in self._busy:
                server.kill()
        self.close()

    def close(self) -> None:
        """End those that are idle."""
        while self._owner == os.getpid() and self._idle:
            self._idle.pop().close()


_servers = _Servers()
atexit.register(_servers.close)


def prepare() -> None:
    """Start what the first question needs, so that it is ready when that comes."""
    _servers.prepare()


def stop() -> None:
    """End every trial, in whatever thread; there will be no other."""
    _servers.stop()


def _absolute(request: Request) -> Request:
    """The request with paths that hold in another working directory."""
    return replace(
        request,
        path=str(Path(request.path).absolute()),
        factory=_absolute_name(request.factory),
        inputs=_absolute_name(request.inputs),
        evidence=tuple(str(Path(file).absolute()) for file in request.evidence),
    )


def _absolute_name(spelled: str | None) -> str | None:
    file, colon, name = (spelled or "").rpartition(":")
    return f"{Path(file).absolute()}:{name}" if colon else spelled


def _environment() -> dict[str, str]:
    here = Path.cwd()
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(str(here / path) for path in paths if path),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        # Asking for accelerators must not start them in the server: its children could not use them any more.
        "PYTORCH_NVML_BASED_CUDA_CHECK": "1",
        "TORCHINDUCTOR_COMPILE_THREADS": "1",
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


def _verdict(answer: bytes) -> Verdict | None:
    try:
        return verdict_from(json.loads(answer))
    except (ValueError, TypeError, KeyError):
        return None
