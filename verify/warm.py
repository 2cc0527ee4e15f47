"""The server's side: loads torch once, then forks a child for each question that comes over a socket."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import sys
from pathlib import Path
from typing import Any

from .verdict import request_from
from .worker import answer, die_with_parent


def main() -> int:
    """Run as `python -m refactor.verify.warm DESCRIPTOR`; ends when the other side of the socket is closed."""
    die_with_parent()
    channel = socket.socket(fileno=int(sys.argv[1]))
    os.set_inheritable(channel.fileno(), False)
    missing = _load()
    with contextlib.suppress(OSError), channel.makefile("rb") as questions:
        for line in questions:
            if missing:
                _say(channel, reason=f"{missing} is not installed")
            else:
                _serve(json.loads(line), channel)
    return 0


def _load() -> str:
    """Import what every child needs; the name of what is missing."""
    try:
        import torch
        import torch._dynamo
        import torch._functorch.partitioners
        import torch._inductor.fx_passes.joint_graph

        from . import found, trial  # noqa: F401  # loaded for the children
    except ModuleNotFoundError as error:
        return error.name or "a module"
    torch.set_num_threads(1)
    # Much of Dynamo is imported by the first compilation. No gradients: autograd's threads would not survive a fork.
    torch.compile(torch.neg, backend="eager")(torch.ones(1))
    torch._dynamo.reset()
    return ""


def _serve(question: dict[str, Any], channel: socket.socket) -> None:
    child = os.fork()
    if child == 0:
        # No exception may reach the server's own loop in a child.
        try:
            _close_all()
            work, result, stage = (Path(question[name]) for name in ("work", "result", "stage"))
            answer(request_from(question["request"]), work, result, stage, question["environment"])
        finally:
            os._exit(70)
    _say(channel, pid=child)
    # Its number stays taken until it is reaped, so that nobody else's group is ended.
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    _say(channel, code=os.waitstatus_to_exitcode(status))


def _say(channel: socket.socket, **message: object) -> None:
    channel.sendall(json.dumps(message).encode() + b"\n")


def _close_all() -> None:
    """Only the standard streams, which lead nowhere, reach user code."""
    os.closerange(3, 4096)


if __name__ == "__main__":
    sys.exit(main())
