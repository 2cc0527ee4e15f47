"""What `refactor trace` costs in steady state: time of a call recorded, over its time as it is.

    python tests/benchmarks/trace_overhead.py

Both sides run in turn, in processes of their own; each figure is the least median of its rounds.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROUNDS = 5
PROGRAM = """\
import statistics, sys, time
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


class Broken(nn.Module):
    def __init__(self, width, depth, breaks):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))
        self.breaks = breaks

    def forward(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x))
        if self.breaks:
            torch._dynamo.graph_break()
            x = x * 2
            torch._dynamo.graph_break()
            x = x + 1
        return x


def measured(width, rows, depth, breaks):
    model = torch.compile(Broken(width, depth, breaks), backend="eager")
    x = torch.randn(rows, width)
    times = []
    with torch.no_grad():
        for _ in range(400):
            model(x)
        for _ in range(2000):
            started = time.perf_counter()
            model(x)
            times.append(time.perf_counter() - started)
    return statistics.median(times) * 1e6


print(measured(8, 1, 1, False), measured(32, 8, 12, False), measured(32, 8, 12, True), measured(256, 64, 4, False))
"""
ROWS = ("1 layer of 8", "12 layers of 32", "the same, 2 breaks", "4 layers of 256")


def times(command: list[str], folder: Path) -> list[float]:
    """Microseconds of a call, one figure a row."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return [float(word) for word in done.stdout.split()]


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "program.py").write_text(PROGRAM, encoding="utf-8")
        plain, recorded = [], []
        for _ in range(ROUNDS):
            plain.append(times([sys.executable, "program.py"], folder))
            recorded.append(times([sys.executable, "-m", "refactor", "trace", "program.py"], folder))
    print(f"{'call':<20} {'as it is, us':>13} {'recorded, us':>13} {'ratio':>6} {'median ratio':>13}")
    for row, before, after in zip(ROWS, zip(*plain, strict=True), zip(*recorded, strict=True), strict=True):
        pairs = statistics.median(b / a for a, b in zip(before, after, strict=True))
        print(f"{row:<20} {min(before):>13.1f} {min(after):>13.1f} {min(after) / min(before):>6.2f} {pairs:>13.2f}")


if __name__ == "__main__":
    main()
