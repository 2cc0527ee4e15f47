"""The server's side: loads torch once, then forks a child for each question that comes over a socket."""

from __future__ import annotations

import contextlib
import functools
import gc
import json
import os
import select
import shutil
import signal
import socket
import sys
from pathlib import Path
from typing import Any

from .limits import MAX_PROCESSES, adopt, descendants, die_with_parent, tasks
from .verdict import request_from
from .worker import answer

_LOOK_MS = 100


def main() -> int:
    """Run as `python -m refactor.verify.warm DESCRIPTOR`; ends when the other side of the socket is closed."""
    die_with_parent()
    adopt()
    channel = socket.socket(fileno=int(sys.argv[1]))
    os.set_inheritable(channel.fileno(), False)
    missing = _load()
    # From here on the end of the socket says that the tool is gone, and what it leaves behind is put away first.
    die_with_parent(False)
    served = False
    with contextlib.suppress(OSError), channel.makefile("rb") as questions:
        for line in questions:
            if missing:
                _say(channel, reason=f"{missing} is not installed")
                continue
            if served:
                # A single question is answered sooner by a child that loads this itself while it does something else.
                _load_compiler()
            _serve(json.loads(line), channel)
            served = True
    return 0


def _load() -> str:
    """Import what the first child needs at once; the name of what is missing."""
    try:
        import torch

        from . import found, trial  # noqa: F401  # loaded for the children
    except ModuleNotFoundError as error:
        return error.name or "a module"
    torch.set_num_threads(1)
    # No child looks through what was loaded here for garbage: that would take long, and copy all of it.
    gc.freeze()
    return ""


@functools.cache
def _load_compiler() -> None:
    from .trial import load_compiler

    load_compiler()
    gc.freeze()


def _serve(question: dict[str, Any], channel: socket.socket) -> None:
    work, result, stage = (Path(question[name]) for name in ("work", "result", "stage"))
    before = tasks()
    child = os.fork()
    if child == 0:
        # No exception may reach the server's own loop in a child.
        try:
            _close_all()
            asked = request_from(question["request"])
            answer(asked, work, result, stage, question["environment"], question["task"], question["more"])
        finally:
            os._exit(70)
    _say(channel, pid=child)
    reason = _watch(child, channel, before)
    # Its number stays taken until it is reaped, so that nobody else's group is ended.
    for end in (os.killpg, os.kill):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            end(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    _sweep()
    try:
        _say(channel, code=os.waitstatus_to_exitcode(status), reason=reason)
    except OSError:
        shutil.rmtree(work.parent, ignore_errors=True)
        raise


def _watch(child: int, channel: socket.socket, before: int) -> str:
    """Wait until a child ends, or has to be ended; why it has to be.

    Args:
        child: its number.
        channel: ends when the tool does.
        before: how many threads the machine had before the child was started.
    """
    if not hasattr(os, "pidfd_open"):
        os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
        return ""
    ended = os.pidfd_open(child)
    try:
        events = select.poll()
        events.register(ended, select.POLLIN)
        events.register(channel, select.POLLIN)
        # While a question is open the tool asks nothing else, so that only the end of the socket is to be read.
        while not events.poll(_LOOK_MS):
            # Counting is dear where there are many processes: the machine's own count says whether it is due.
            if tasks() > before + MAX_PROCESSES // 2 and len(descendants(child)) >= MAX_PROCESSES:
                return f"it started more than {MAX_PROCESSES} processes"
    finally:
        os.close(ended)
    return ""


def _sweep() -> None:
    """End what a child started and left behind in sessions of their own; it has become this process's."""
    with contextlib.suppress(ChildProcessError):
        while True:
            os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            for pid in descendants(os.getpid()):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            os.waitpid(-1, 0)


def _say(channel: socket.socket, **message: object) -> None:
    channel.sendall(json.dumps(message).encode() + b"\n")


def _close_all() -> None:
    """Only the standard streams, which lead nowhere, reach user code."""
    os.closerange(3, 4096)


if __name__ == "__main__":
    sys.exit(main())
