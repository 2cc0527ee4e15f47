"""Small programs, each with the literal set of what Dynamo makes of it, in comments at its end.

`# sites: LINE REGISTRY_ID, …` · `# graphs: FUNCTION OPS, …`, a frame that resumes after a break being `FUNCTION@LINE` ·
`# skipped:` frames given up · `# empty:` frames whose first call captured nothing · `# limited:` frames past the
recompile limit · `# recompiles: FRAME: SOURCE EXPECTED, …`. What is not said must not be there. `# sites[2.6]:` and the
like say where a release of torch differs; registry ids are compared on one release only, as they move.

The releases besides the installed one are those whose interpreters `REFACTOR_OTHER_PYTHONS` names, as in
`REFACTOR_OTHER_PYTHONS=venv-2.6/bin/python:venv-2.14/bin/python pytest -m slow tests/trace/test_programs.py`.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from refactor.verify.trace import Run, decoded

# What the fixtures make takes long: one worker makes it, for all that look at it.
pytestmark = pytest.mark.xdist_group("programs")

HERE = Path(__file__).parent
PROGRAMS = sorted((HERE / "programs").glob("*.py"))
KINDS = ("sites", "graphs", "skipped", "empty", "limited", "recompiles")
WITH_IDS = "2.13"
OTHERS = [path for path in os.environ.get("REFACTOR_OTHER_PYTHONS", "").split(os.pathsep) if path]


def recorded(folder: Path, python: str) -> Run:
    output = folder / "trace.json"
    command = [sys.executable, "-m", "refactor", "trace", "-o", output, "--", python, HERE / "drive.py", *PROGRAMS]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=500, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return next(run for run in decoded(output.read_bytes()).runs if run.frames)


@pytest.fixture(scope="session")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return recorded(tmp_path_factory.mktemp("programs"), sys.executable)


def expected(path: Path, release: str, python: str) -> dict[str, list[str]]:
    """What a program's comments say: `# graphs:`, or `# graphs[2.6]:` and `# graphs[py3.13]:` where these differ."""
    text = path.read_text(encoding="utf-8")
    found = {}
    for kind in KINDS:
        said = dict(re.findall(rf"^# {kind}(\[(?:py)?[\d.]+\])?:(.*)$", text, re.MULTILINE))
        items = said.get(f"[py{python}]", said.get(f"[{release}]", said.get("", "")))
        found[kind] = [item.strip() for item in items.split(", ") if item.strip()]
    return found


def shown(run: Run, path: Path) -> dict[str, list[str]]:
    own = {number for number, frame in enumerate(run.frames) if frame.path == str(path)}

    def label(number: int) -> str:
        frame = run.frames[number]
        return f"{frame.name}@{frame.resumes_at}" if frame.resumes_at else frame.name

    skips = [skip for skip in run.skips if skip.frame in own]
    failed = [(r.frame, r.failed[0]) for r in run.recompiles if r.frame in own]
    return {
        "sites": [f"{site.line} {site.registry}".strip() for site in run.breaks if site.path == str(path)],
        "graphs": [f"{label(graph.frame)} {graph.ops}" for graph in run.graphs if graph.frame in own],
        "skipped": [label(skip.frame) for skip in skips if not skip.empty and not skip.limit],
        "empty": [label(skip.frame) for skip in skips if skip.empty],
        "limited": [label(skip.frame) for skip in skips if skip.limit],
        "recompiles": [f"{label(frame)}: {guard.source} {guard.expected}".strip() for frame, guard in failed],
    }


def _bare(item: str) -> str:
    """`Block.forward@7 1` without the class."""
    name, _, rest = item.partition(" ")
    return f"{name.rpartition('.')[2]} {rest}".strip()


def both(run: Run, path: Path) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    release = ".".join(run.torch.split(".")[:2])
    python = ".".join(run.python.split(".")[:2])
    right, seen = expected(path, release, python), shown(run, path)
    if python == "3.10":  # code does not know its qualified name there
        right |= {kind: [_bare(item) for item in right[kind]] for kind in KINDS if kind != "sites"}
    if release != WITH_IDS:
        for facts in (right, seen):
            facts["sites"] = sorted({item.split()[0] for item in facts["sites"]})
    return seen, right


def test_there_are_enough_programs() -> None:
    assert len(PROGRAMS) >= 25


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_what_is_recorded_is_what_happened(ours: Run, path: Path) -> None:
    seen, right = both(ours, path)
    assert seen == right


def test_each_reset_begins_an_epoch(ours: Run) -> None:
    # One before each program, and one in the middle of one of them; the first one finds nothing to forget.
    frames = [entry.frame for entry in ours.entries if ours.frames[entry.frame].path.endswith("reset_in_the_middle.py")]
    epochs = {entry.epoch for entry in ours.entries if entry.frame in frames}
    assert len(epochs) == 2
    assert ours.epochs == len(PROGRAMS)


@pytest.mark.slow
@pytest.mark.parametrize("python", OTHERS or [pytest.param("", marks=pytest.mark.skip(reason="no other interpreter"))])
def test_other_releases(tmp_path: Path, python: str) -> None:
    run = recorded(tmp_path, python)
    pairs = {path.stem: both(run, path) for path in PROGRAMS}
    assert {name: pair for name, pair in pairs.items() if pair[0] != pair[1]} == {}, run.torch
