"""Several files in one run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

MODULE = """import torch
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


def test_any_number_of_jobs_gives_the_same_answer(tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"gate{number}.py").write_text(MODULE.format(number=number))
    said = []
    for jobs in ("1", "3"):
        command = [sys.executable, "-m", "refactor", "apply", "--dry-run", "--no-cache", "--jobs", jobs, "."]
        run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        said.append((run.returncode, run.stdout, run.stderr))
    assert said[0] == said[1]
    assert said[0][1].count("+++ b/gate") == 3
    assert said[0][2].count(": VERIFIED, ") == 3
