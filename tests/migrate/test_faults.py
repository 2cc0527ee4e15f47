"""Runs that are killed, again and again, end as a run that nothing disturbs."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from .conftest import BRANCH, PLAIN, git, write_all
from .test_migrate import LOUD, rows

TEXTS = (BRANCH, LOUD, PLAIN, BRANCH + LOUD.removeprefix("import torch\n"))


def repositories(folder: Path, count: int) -> Path:
    """A list of small repositories."""
    lines = ["url"]
    for index in range(count):
        root = folder / f"r{index:03}"
        write_all(root, {"m.py": TEXTS[index % len(TEXTS)], "n.py": f"import torch\n\nX = {index}\n"})
        git(root, "init", "--quiet")
        git(root, "add", "--all")
        git(root, "commit", "--quiet", "--message=first")
        lines.append(root.name)
    (folder / "list.csv").write_text("\n".join(lines) + "\n")
    return folder / "list.csv"


def start(listed: Path, out: Path, *more: str) -> subprocess.Popen[str]:
    """A run in the background; its standard error has a line for each repository."""
    command = [sys.executable, "-m", "refactor", "migrate", str(listed), "--out", str(out), "--resume"]
    command += ["--verify", "off", "--jobs", "2", *more]
    return subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)


def workers(parent: int) -> list[int]:
    """The worker processes of a run; the resource tracker is none."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                status, line = (entry / "status").read_text(), (entry / "cmdline").read_text()
            except OSError:
                continue
            if f"PPid:\t{parent}\n" in status and "spawn_main" in line:
                found.append(int(entry.name))
    return found


def disturbed(listed: Path, out: Path, kills: int, seed: int) -> int:
    """Run to the end, killing workers and parents on the way; returns how many were killed."""
    draw, killed = random.Random(seed), 0
    while True:
        run = start(listed, out)
        assert run.stderr is not None
        while killed < kills and all(run.stderr.readline() for _ in range(draw.randint(1, 3))):
            hands = workers(run.pid)
            victim = draw.choice(hands) if hands and draw.random() < 0.7 else run.pid
            os.kill(victim, signal.SIGKILL)
            killed += 1
            if victim == run.pid:
                break
        run.stderr.read()
        if run.wait() == 0:
            return killed


def result(out: Path) -> list[tuple[Any, ...]]:
    """Everything in the ledger but times, and the patches."""
    columns = "name, source, status, error, notes, patch_bytes"
    found = rows(out, f"SELECT {columns} FROM repositories ORDER BY name")
    found += rows(out, "SELECT repository, path, status, reason FROM files ORDER BY 1, 2")
    found += rows(out, "SELECT * FROM fixes ORDER BY 1, 2, 3, 4")
    found += rows(out, "SELECT * FROM findings ORDER BY 1, 2, 3, 4, 5")
    places = sorted((out / "repositories").iterdir())
    return found + [
        (place.name, patch.name, patch.read_bytes()) for place in places for patch in sorted(place.glob("*.patch"))
    ]


@pytest.mark.parametrize(("count", "kills"), [(24, 5), pytest.param(200, 20, marks=pytest.mark.slow)])
def test_killed_runs_end_as_a_run_that_nothing_disturbs(tmp_path: Path, count: int, kills: int) -> None:
    listed = repositories(tmp_path, count)
    plain = start(listed, tmp_path / "plain")
    plain.communicate()
    assert plain.returncode == 0
    killed = disturbed(listed, tmp_path / "disturbed", kills, seed=count)
    assert killed >= kills
    assert result(tmp_path / "disturbed") == result(tmp_path / "plain")
    assert not list((tmp_path / "disturbed" / "repositories").glob(".draft-*"))
