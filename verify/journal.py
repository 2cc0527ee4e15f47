"""What the recorder leaves behind while the program runs: one line per event, and the calls in shared memory.

Lines are written at once and whole, and the calls stand in a mapped file, so that a process that is killed loses
nothing of what came before. Needs nothing but Python.
"""

from __future__ import annotations

import itertools
import json
import mmap
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# Numbers of 8 bytes: how often each entry served (entry 0: calls of compiled code), then what happened, in order.
ENTRIES = 8192
STEPS = 1 << 16
_SIZE = 8 * (ENTRIES + STEPS)
_THREAD, _WHAT = 40, 32
CALL, SERVED, LINE = 1, 2, 3


class Journal:
    """Writes the journal of one process; made with the first line.

    Args:
        folder: where it goes.
    """

    def __init__(self, folder: str) -> None:
        file = Path(folder, f"{os.getpid()}-{os.urandom(4).hex()}.jsonl")
        self._file = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        handle = os.open(file.with_suffix(".calls"), os.O_RDWR | os.O_CREAT, 0o644)
        try:
            os.ftruncate(handle, _SIZE)
            self._map = mmap.mmap(handle, _SIZE)
        finally:
            os.close(handle)
        numbers = memoryview(self._map).cast("q")
        self.totals, self.steps = numbers[:ENTRIES], numbers[ENTRIES:]
        self.next_step = itertools.count().__next__
        self._next_line = itertools.count().__next__

    def line(self, what: str, **content: Any) -> int:
        """Write a line; its number."""
        text = json.dumps({"": what, **content}, separators=(",", ":"), default=str)
        number = self._next_line()
        os.write(self._file, text.encode("utf-8", "backslashreplace") + b"\n")
        return number

    def close(self) -> None:
        """Close the file of lines, in a forked child that has no use for it."""
        os.close(self._file)


def step(thread: int, what: int, value: int) -> int:
    """A step as one number."""
    return thread << _THREAD | what << _WHAT | value


class Left:
    """A journal that was left behind.

    Attributes:
        lines: each with its kind under the empty key.
        totals: how often each entry served; the first one counts the calls of compiled code.
        steps: (thread, what, value) of each step, in order.
    """

    def __init__(self, file: Path) -> None:
        self.lines: list[dict[str, Any]] = list(_lines(file))
        data = file.with_suffix(".calls").read_bytes() if file.with_suffix(".calls").exists() else b""
        numbers = memoryview(data[: len(data) // 8 * 8]).cast("q").tolist()
        self.totals = numbers[:ENTRIES]
        written = itertools.takewhile(bool, numbers[ENTRIES:])
        self.steps = [(n >> _THREAD, n >> _WHAT & 0xFF, n & 0xFFFFFFFF) for n in written]


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    for text in file.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            line = json.loads(text)
        except ValueError:
            return  # the process was ended while it wrote its last line
        if isinstance(line, dict):
            yield line
