"""`refactor explain` from end to end."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from refactor.verify.trace import BreakSite, Call, Entry, Frame, Graph, Recompile, Run, Step, Trace, encoded

MODEL = """\
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x, scale):
        h = self.lin(x) * scale
        if h.sum() > 0:
            h = h * 2
        return torch.relu(h)


def make_model():
    return Model()


def make_calls():
    return [((torch.ones(2, 4), scale), {}) for scale in (2, 2, 3)]
"""
BRANCH = 12
WHOLE = """\
import torch


def make_model():
    return torch.nn.Linear(2, 2)


def make_calls():
    return [((torch.ones(2),), {})]
"""


def explained(*arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "refactor", "explain", *map(str, arguments), "--isolated"]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


NAMED = ("--factory", "make_model", "--inputs", "make_calls", "--verify", "off")


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], Path, subprocess.CompletedProcess[str]]:
    folder = tmp_path_factory.mktemp("explained")
    (folder / "model.py").write_text(MODEL, encoding="utf-8")
    done = explained("model.py", *NAMED, "--output-format", "json", "--html", "page.html", cwd=folder)
    assert done.stdout, done.stderr
    return json.loads(done.stdout), folder, done


@pytest.mark.xdist_group("explained")
def test_the_cut_has_its_place_reason_and_cure(told: tuple[Any, ...]) -> None:
    document, folder, done = told
    assert done.returncode == 1
    (cut,) = document["before"]["cuts"]
    assert (cut["path"], cut["line"]) == (str(folder / "model.py"), BRANCH)
    assert cut["words"] == "a Python branch needs the value of a tensor"
    assert (cut["crossings"], cut["cure"]["code"], cut["cure"]["fixes"]) == (3, "TR101", True)
    assert cut["crossing_us"] > 0


@pytest.mark.xdist_group("explained")
def test_the_ledger_counts_the_failed_guards(told: tuple[Any, ...]) -> None:
    document, _, _ = told
    before, after = document["before"]["ledger"], document["after"]["ledger"]
    assert (before["calls"], before["rebuilds"], before["failed_calls"]) == (3, 1, 1)
    assert (after["calls"], after["rebuilds"], after["failed_calls"]) == (3, 1, 1)
    for ledger in (before, after):
        steady = ledger["run_us"]["middle"] + ledger["guard_us"]
        rebuilding = ledger["failure_rate"] * ledger["rebuild_s"] * 1e6
        assert ledger["average_us"] == pytest.approx(steady + rebuilding)


@pytest.mark.xdist_group("explained")
def test_the_rewrite_is_measured_beside_the_original(told: tuple[Any, ...]) -> None:
    document, _, _ = told
    assert document["after"]["cuts"] == []
    assert (document["before"]["graphs"], document["after"]["graphs"]) == (3, 2)
    assert document["steady_gain"]["samples"] > 0
    assert document["average_gain"] > 0


@pytest.mark.xdist_group("explained")
def test_the_page_is_written_whole(told: tuple[Any, ...]) -> None:
    _, folder, done = told
    html = (folder / "page.html").read_text(encoding="utf-8")
    assert html.count('id="before-0-12"') == html.count('id="after-0-12"') == 1
    assert "Wrote page.html" in done.stderr
    assert "://" not in html.replace("https://meta-pytorch.github.io", "").replace("https://github.com/leeoniya", "")


@pytest.mark.slow
def test_nothing_cut_is_exit_status_0(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(WHOLE, encoding="utf-8")
    done = explained("model.py", *NAMED, cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    assert done.stdout.startswith("model.py: cuts 0, graphs 1, skipped frames 0, N_rebuild 0, limit hits 0, T_avg ")


def test_a_target_that_cannot_be_run_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(
        WHOLE.replace("return torch.nn.Linear(2, 2)", "raise ValueError('no weights')"), encoding="utf-8"
    )
    done = explained("model.py", *NAMED, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: model.py: cannot be run: factory make_model raised ValueError: no weights")
    assert len(done.stderr.splitlines()) == 1


def test_without_a_target_or_evidence_it_says_what_is_missing(tmp_path: Path) -> None:
    done = explained(cwd=tmp_path)
    assert (done.returncode, done.stderr) == (
        2,
        "error: expected a TARGET to run, or --evidence with a trace to read\n",
    )


def trace(path: Path) -> Trace:
    run = Run(
        command=["python", "train.py"],
        frames=[Frame(path=str(path), name="Model.forward", line=10, root=True)],
        entries=[Entry(frame=0, compile_id=f"0/{number}", graph=number, seconds=0.25) for number in (0, 1)],
        graphs=[Graph(frame=0, entry=number, ops=2, lines=[(str(path), 11)]) for number in (0, 1)],
        breaks=[
            BreakSite(
                path=str(path), line=BRANCH, reason="Data-dependent branching", frames=[0], compile_ids=["0/0", "0/1"]
            )
        ],
        recompiles=[Recompile(frame=0, compile_id="0/1", entry=1, call=1, seconds=0.25)],
        calls=[
            Call(steps=[Step(how="compiled", frame=0, entry=0)]),
            Call(steps=[Step(how="recompiled", frame=0, entry=1, recompile=0)]),
        ],
        more_calls=98,
    )
    return Trace(runs=[run])


def test_a_trace_is_told_without_running_anything(tmp_path: Path) -> None:
    model = tmp_path / "model.py"
    model.write_text(MODEL + "\nraise SystemExit('this file is never imported')\n", encoding="utf-8")
    (tmp_path / "trace.json").write_bytes(encoded(trace(model)))
    done = explained("--evidence", "trace.json", "--output-format", "json", cwd=tmp_path)
    document = json.loads(done.stdout)
    assert [(cut["line"], cut["cure"]["code"]) for cut in document["before"]["cuts"]] == [(BRANCH, "TR101")]
    ledger = document["before"]["ledger"]
    assert (ledger["calls"], ledger["rebuilds"], ledger["failure_rate"], ledger["rebuild_s"]) == (100, 1, 0.01, 0.25)
    assert ledger["average_us"] is None


def test_what_is_no_trace_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "trace.json").write_text("[]", encoding="utf-8")
    done = explained("--evidence", "trace.json", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("error: trace.json: expected a trace")
