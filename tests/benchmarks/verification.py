"""What verification costs, as ratios of figures taken side by side: run me on a machine that does nothing else.

- one small module by `refactor verify`, against importing torch;
- the same module by its parts, in seconds of computing;
- twenty modules in one run of `refactor apply`, per module, against the slowest part of one;
- how long an interrupt takes until no process is left.

usage: python tests/benchmarks/verification.py [--runs N] [--modules N]
"""

from __future__ import annotations

import argparse
import functools
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MODULE = """\
import torch
from torch import nn


class Gate{number}(nn.Module):
    def __init__(self, width=4):
        super().__init__()
        self.w = nn.Linear(width, width)

    def forward(self, x):
        y = self.w(x)
        if y.sum() > {number}:
            y = y + 1
        else:
            y = y - 1
        return y
"""
PARTS = """\
import sys, time
clock = time.process_time
start = clock()
import torch
told = [("importing torch", clock() - start)]
start = clock()
from refactor.verify import trial
from refactor.verify.verdict import Request
told.append(("importing the judge", clock() - start))
start = clock()
trial.load_compiler()
told.append(("importing the compiler (beside)", clock() - start))
now = [clock(), "starting"]
def tell(doing):
    told.append((now[1], clock() - now[0]))
    now[:] = clock(), doing
old, new = (open(path).read() for path in sys.argv[1:])
trial.examine(Request(old, new, sys.argv[1]), tell)
tell("")
for name, taken in told:
    print(f"{taken:.3f} {name}")
"""


def timed(command: list[str], folder: Path) -> float:
    """Seconds on the clock that a command takes."""
    started = time.monotonic()
    subprocess.run(command, cwd=folder, capture_output=True, check=False)
    return time.monotonic() - started


def one_module(folder: Path, runs: int) -> None:
    """Print how verifying one module compares with importing torch."""
    (folder / "old.py").write_text(MODULE.format(number=0))
    (folder / "new.py").write_text(MODULE.format(number=0).replace("y.sum() > 0", "0 < y.sum()"))
    importing, verifying = [], []
    for _ in range(runs):
        importing.append(timed([sys.executable, "-c", "import torch"], folder))
        command = [sys.executable, "-m", "refactor", "verify", "--no-cache", "old.py", "new.py"]
        verifying.append(timed(command, folder))
    ratio = statistics.median(verifying) / statistics.median(importing)
    print(f"one module: {ratio:.2f} times `import torch` (median of {runs}), at most 3 wanted")


def parts(folder: Path) -> tuple[str, float]:
    """Print the parts of one verification; the slowest of a warm one, with its seconds."""
    command = [sys.executable, "-c", PARTS, "old.py", "new.py"]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    lines = [line.split(" ", 1) for line in run.stdout.splitlines() if line[:1].isdigit()]
    for taken, name in lines:
        print(f"    {taken} s {name}")
    warm = [(name, float(taken)) for taken, name in lines if not name.startswith("importing")]
    return max(warm, key=lambda item: item[1])


def many_modules(folder: Path, count: int, slowest: tuple[str, float]) -> None:
    """Print what each of many modules costs in one run, against the slowest part of one."""
    code = folder / "code"
    code.mkdir()
    for number in range(count):
        (code / f"gate{number}.py").write_text(MODULE.format(number=number))
    each = timed([sys.executable, "-m", "refactor", "apply", "--dry-run", "--no-cache", "."], code) / count
    print(f"{count} modules in one run: {each:.2f} s each, {each / slowest[1]:.2f} times `{slowest[0]}` of one alone")


def interrupt(folder: Path) -> None:
    """Print how long it takes from an interrupt until no process is left."""
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    endless = f"held = open({str(pipe)!r}, 'w')\nheld.write('running')\nheld.flush()\nwhile True:\n    pass\n"
    (folder / "old.py").write_text(endless)
    (folder / "new.py").write_text(f"{endless}# the end\n")
    heed = functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    command = [sys.executable, "-m", "refactor", "verify", "--no-cache", "old.py", "new.py"]
    tool = subprocess.Popen(command, cwd=folder, stderr=subprocess.DEVNULL, preexec_fn=heed)
    with pipe.open() as reader:
        reader.read(7)
        started = time.monotonic()
        tool.send_signal(signal.SIGINT)
        reader.read()
    tool.wait()
    print(f"interrupt: everything gone after {time.monotonic() - started:.2f} s, at most 1 wanted")


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--modules", type=int, default=20)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        one_module(folder, asked.runs)
        slowest = parts(folder)
        many_modules(folder, asked.modules, slowest)
        interrupt(folder)


if __name__ == "__main__":
    main()
