"""The comparison of findings with what was measured, on a folder of two small cases."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).with_name("static_findings.py")
CASE = """\
import torch


def gate(x: torch.Tensor, deep: bool):
    if x.sum() > 0:
        x = x + 1
    if deep:
        x = x * x.max().item()
    return x.nonzero()


def make_callable():
    return gate


def make_inputs():
    return [((torch.ones(2), False), {})]
"""


def compare(folder: Path, sites: list[dict[str, str]]) -> subprocess.CompletedProcess[str]:
    cases = folder / "cases"
    cases.mkdir()
    (cases / "001_gate.py").write_text(CASE)
    baseline = folder / "BASELINE.json"
    record = {"break_sites": sites, "skip_sites": []}
    baseline.write_text(json.dumps({"cases": {"001_gate.py": record}}))
    command = [sys.executable, str(SCRIPT), str(cases), str(baseline)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_all_is_named(tmp_path: Path) -> None:
    done = compare(tmp_path, [{"at": f"001_gate.py:{line}", "explanation": "why"} for line in (5, 9)])
    assert done.stdout.splitlines() == [
        "measured sites named: 2 of 2 (100%; aim 90%)",
        "named sites that break: 2 of 2 (100%; aim 80%)",
        "named sites that no input reaches: 1",
    ]
    assert done.returncode == 0


def test_misses_are_told(tmp_path: Path) -> None:
    places = ["001_gate.py:5", "001_gate.py:6", "elsewhere.py:9"]
    done = compare(tmp_path, [{"at": at, "explanation": "why"} for at in places])
    found = done.stdout.splitlines()
    assert found[0] == "not named      001_gate.py:6  why"
    assert found[1].startswith("does not break 001_gate.py:9  ")
    assert found[2:4] == [
        "measured sites named: 1 of 2 (50%; aim 90%)",
        "named sites that break: 1 of 2 (50%; aim 80%)",
    ]
    assert done.returncode == 1
