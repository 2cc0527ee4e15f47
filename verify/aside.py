"""A second process of a judge's, which works on something while the first goes on."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
from collections.abc import Callable
from typing import Any

from .limits import die_with_parent
from .worker import one_line

Plain = dict[str, Any]


class AsideError(Exception):
    """The second process ended without an answer; the message says how."""


class Aside:
    """Answers one question after another, in a process that is forked at once.

    Autograd's threads do not survive a fork, so this is made before anything is differentiated.

    Args:
        prepare: what the process does before the first question comes.
        work: answers a question.
    """

    def __init__(self, prepare: Callable[[], None], work: Callable[[Plain], Plain]) -> None:
        ours, theirs = socket.socketpair()
        self._pid = os.fork()
        if self._pid == 0:
            # No exception may reach what the first process was doing.
            try:
                ours.close()
                _answer(theirs, prepare, work)
            finally:
                os._exit(70)
        theirs.close()
        self._file = ours.makefile("rwb")
        ours.close()
        self._open = 0

    def ask(self, question: Plain) -> Callable[[], Plain]:
        """Put a question; what is returned waits for the answer.

        Raises:
            AsideError: there will be none (from what is returned).
        """
        with contextlib.suppress(OSError):
            self._file.write(_line(question))
            self._file.flush()
        self._open += 1
        return self._next

    def _next(self) -> Plain:
        line = b""
        while self._open:
            # Answers that nobody waited for come first.
            self._open -= 1
            with contextlib.suppress(OSError):
                line = self._file.readline()
        if not line:
            raise AsideError(self._end())
        answer = json.loads(line)
        if "failed" in answer:
            raise AsideError(f"the process that compiles failed: {answer['failed']}")
        return answer["answer"]  # type: ignore[no-any-return]

    def _end(self) -> str:
        code = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
        if code >= 0:
            return f"the process that compiles ended itself with exit code {code}"
        return f"the process that compiles was ended by {signal.Signals(-code).name}"


def _answer(channel: socket.socket, prepare: Callable[[], None], work: Callable[[Plain], Plain]) -> None:
    die_with_parent()
    with channel.makefile("rwb") as file:
        prepare()
        for line in file:
            try:
                told: Plain = {"answer": work(json.loads(line))}
            except Exception as error:
                told = {"failed": one_line(error)}
            file.write(_line(told))
            file.flush()


def _line(data: Plain) -> bytes:
    return json.dumps(data).encode() + b"\n"
