"""What user code may take in a child process: memory, sizes of files, processes, and no network."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import platform
import resource
import signal
import socket
import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# In the environment of a server and of all that it starts: which tool's they are.
MARK = "REFACTOR_VERIFY"

MAX_PROCESSES = 128
MAX_FILE_MB = 256

_PR_SET_PDEATHSIG, _PR_SET_SECCOMP, _PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 1, 22, 36, 38
_FILTER_MODE = 2
# By machine: the number that the kernel gives its calls' architecture, and that of `socket`.
_CALLS = {"x86_64": (0xC000003E, 41), "aarch64": (0xC00000B7, 198)}
_IO_URING_SETUP = 425
_X32_CALLS = 0x40000000
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | errno.EACCES


def die_with_parent(wanted: bool = True) -> None:
    """Be killed when the parent ends (not any more where that is not wanted), and leave no core behind."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL if wanted else 0)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def adopt() -> None:
    """Become the parent of all descendants whose own parent ends."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def limit(memory_mb: int) -> None:
    """Limit private memory to what is taken already plus `memory_mb`, the size of written files, and processes.

    RLIMIT_DATA rather than RLIMIT_AS: accelerator runtimes reserve address space far beyond what they use.
    """
    page = resource.getpagesize()
    try:
        taken = int(Path("/proc/self/statm").read_text().split()[5]) * page
    except (OSError, ValueError):
        taken = 2 << 30
    size = taken + (memory_mb << 20)
    limits = {resource.RLIMIT_DATA: size, resource.RLIMIT_FSIZE: MAX_FILE_MB << 20}
    if tasks():
        # That counts all processes of the user, and none of root: the server counts those of the child itself.
        limits[resource.RLIMIT_NPROC] = tasks() + 2 * MAX_PROCESSES
    for what, most in limits.items():
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(what, (most, most))


def refuse_network() -> None:
    """Let this process and all that it starts make no sockets but local ones.

    The kernel refuses them where it can (Linux, by a filter of system calls that cannot be taken off again); elsewhere
    Python does, which native code and other programs do not ask.
    """
    if not _filtered():
        sys.addaudithook(_refuse)


def _filtered() -> bool:
    """Install the filter; False where the system has none."""
    if sys.platform != "linux" or platform.machine() not in _CALLS or sys.maxsize < 2**32:
        return False
    architecture, making = _CALLS[platform.machine()]
    # Each step: what it does, how many steps to skip where it holds and where not, and its number.
    steps = (
        (_LOAD, 0, 0, 4),
        (_EQUAL, 0, 7, architecture),
        (_LOAD, 0, 0, 0),
        (_AT_LEAST, 5, 0, _X32_CALLS),
        (_EQUAL, 4, 0, _IO_URING_SETUP),
        (_EQUAL, 0, 2, making),
        (_LOAD, 0, 0, 16),
        (_EQUAL, 0, 1, socket.AF_UNIX),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _REFUSE),
    )
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
    program = ctypes.create_string_buffer(struct.pack("@HP", len(steps), ctypes.addressof(code)))
    return _prctl(_PR_SET_NO_NEW_PRIVS, 1) and _prctl(_PR_SET_SECCOMP, _FILTER_MODE, ctypes.addressof(program))


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "socket.__new__" and arguments[1] in (socket.AF_INET, socket.AF_INET6):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def _prctl(what: int, value: int, more: int = 0) -> bool:
    """True where the system has such a call and it went well."""
    try:
        asked = (ctypes.c_ulong(number) for number in (value, more, 0, 0))
        return bool(ctypes.CDLL(None).prctl(what, *asked) == 0)
    except (OSError, AttributeError):
        return False


def descendants(root: int) -> list[int]:
    """The processes below one, as far as the system lists processes; nearest first."""
    children: dict[int, list[int]] = {}
    for pid, parent in _listed():
        children.setdefault(parent, []).append(pid)
    found = list(children.get(root, ()))
    for pid in found:
        found.extend(children.get(pid, ()))
    return found


def tasks() -> int:
    """How many threads there are on the whole machine; 0 where the system does not say."""
    try:
        return int(Path("/proc/loadavg").read_text().split()[3].partition("/")[2])
    except (OSError, ValueError, IndexError):
        return 0


def marked(text: str) -> list[int]:
    """The processes that were started with a text in their environment."""
    found = []
    for pid, _ in _listed():
        with contextlib.suppress(OSError):
            if text.encode() in Path(f"/proc/{pid}/environ").read_bytes():
                found.append(pid)
    return found


def _listed() -> Iterator[tuple[int, int]]:
    """Each process with its parent."""
    with contextlib.suppress(OSError):
        for name in os.listdir("/proc"):  # noqa: PTH208  # names only
            if name.isdigit():
                with contextlib.suppress(OSError, ValueError, IndexError):
                    # The program's name stands in brackets and may hold any character.
                    yield int(name), int(Path("/proc", name, "stat").read_text().rpartition(")")[2].split()[1])
