"""What a break costs and what cures it: a recorded run joined with the findings of its files."""

from __future__ import annotations

from pathlib import Path

import pytest

from refactor.codes import META
from refactor.engine import Options, rewrite
from refactor.explained import Program
from refactor.joining import Pharmacy, cured, program
from refactor.transforms.rule import registry
from refactor.verify.ledger import Gap, ledger_of
from refactor.verify.trace import BreakSite, Call, Entry, Frame, Graph, Guard, Recompile, Run, Skip, Step

MODEL = """\
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.step = 0
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        self.step += 1
        h = self.lin(x)
        if h.sum() > 0:
            h = h * 2
        print("mean", float(h.mean()))
        return h
"""
BRANCH, PRINT, COUNTER = 14, 16, 12


@pytest.fixture
def path(tmp_path: Path) -> str:
    file = tmp_path / "model.py"
    file.write_text(MODEL, encoding="utf-8")
    return str(file)


def options(path: str) -> Options:
    return Options(select=frozenset((*registry(), META)), verify="off", path=path)


def recorded(path: str) -> Run:
    """Four calls cross the branch, which is cheap; one of them crosses the print, which is dear."""
    return Run(
        frames=[
            Frame(path=path, name="Model.forward", line=11, root=True),
            Frame(path=path, name="Model.forward", line=11, parent=0, resumes_at=BRANCH),
        ],
        entries=[
            Entry(frame=0, compile_id="0/0", graph=0, seconds=0.2),
            Entry(frame=1, compile_id="1/0", graph=1, seconds=0.1),
        ],
        graphs=[Graph(frame=0, entry=0, ops=2, lines=[(path, 13), (path, 14)]), Graph(frame=1, entry=1, ops=1)],
        breaks=[
            BreakSite(path=path, line=BRANCH, reason="Data-dependent branching", frames=[0], compile_ids=["0/0"]),
            BreakSite(
                path=path, line=PRINT, reason="Failed to trace builtin operator", frames=[1], compile_ids=["1/0"]
            ),
        ],
        calls=[
            Call(steps=[Step(how="hit", frame=0, entry=0)]),
            Call(steps=[Step(how="hit", frame=0, entry=0)]),
            Call(steps=[Step(how="hit", frame=0, entry=0)]),
            Call(steps=[Step(how="hit", frame=0, entry=0), Step(how="hit", frame=1, entry=1)]),
        ],
    )


def joined(run: Run, path: str, *gaps: Gap) -> Program:
    return program("before", run, ledger_of(run), Pharmacy(options(path)), gaps)


def test_the_most_costly_site_comes_first(path: str) -> None:
    gaps = (Gap(compile_id="0/0", crossings=4, us=10.0), Gap(compile_id="1/0", crossings=1, us=100.0))
    told = joined(recorded(path), path, *gaps)
    assert [(cut.line, cut.crossings, cut.cost_us) for cut in told.cuts] == [(PRINT, 1, 25.0), (BRANCH, 4, 10.0)]


def test_without_times_the_most_crossed_site_comes_first(path: str) -> None:
    told = joined(recorded(path), path)
    assert [(cut.line, cut.us) for cut in told.cuts] == [(BRANCH, None), (PRINT, None)]


def test_what_comes_after_a_cut_is_compiled_because_of_it(path: str) -> None:
    told = joined(recorded(path), path)
    assert [cut.seconds for cut in told.cuts] == [0.1, 0]


def test_a_given_up_frame_comes_before_everything(path: str) -> None:
    run = recorded(path)
    run.skips.append(Skip(frame=1, reason="Failed to trace builtin operator", path=path, line=PRINT))
    told = joined(run, path, Gap(compile_id="0/0", crossings=4, us=1e6))
    assert (told.cuts[0].line, told.cuts[0].frames) == (PRINT, ("Model.forward",))
    assert [item.line for item in told.skipped] == [PRINT]


def test_a_skipped_frame_has_the_cure_of_the_break_in_it(path: str) -> None:
    run = recorded(path)
    run.skips.append(Skip(frame=1, reason="no operator was captured", path=path, line=11))
    (item,) = joined(run, path).skipped
    assert (item.line, item.cure.code) == (11, "TR302")


def test_each_site_has_the_rule_that_fixes_it(path: str) -> None:
    told = joined(recorded(path), path)
    assert [(cut.cure.code, cut.cure.fixes) for cut in told.cuts] == [("TR101", True), ("TR302", True)]


def test_a_site_that_no_rule_knows_says_so(path: str) -> None:
    run = recorded(path)
    run.breaks[0].line = 1
    assert joined(run, path).cuts[0].cure.line == "not fixed: no rule knows this form"


def test_a_file_that_cannot_be_read_says_so(path: str) -> None:
    run = recorded(path)
    run.breaks[0].path = f"{path}.missing"
    assert joined(run, path).cuts[0].cure.words == "its file cannot be read"


def test_recompiles_are_grouped_by_what_is_guarded(path: str) -> None:
    run = recorded(path)
    for number in (1, 2):
        guard = Guard(compile_id="0/0", text="t", source="self.step", expected=str(number), path=path, line=COUNTER)
        run.recompiles.append(Recompile(frame=0, compile_id=f"0/{number}", failed=[guard], seconds=0.5))
    other = Guard(compile_id="0/0", text="t", source="x.shape[0]", expected="4", actual="5")
    run.recompiles.append(Recompile(frame=0, compile_id="0/3", failed=[other], seconds=0.25))
    told = joined(run, path)
    assert [(cause.line, cause.times, cause.seconds) for cause in told.causes] == [(COUNTER, 2, 1.0), (11, 1, 0.25)]
    assert told.causes[0].cure.code == "TR502"


def test_what_is_gone_after_the_rewrite_counts_as_fixed(path: str) -> None:
    run = recorded(path)
    run.breaks[0].line = 13
    before = joined(run, path)
    assert not next(cut for cut in before.cuts if cut.line == 13).cure.fixes
    empty = Run(frames=run.frames)
    after = program("after", empty, ledger_of(empty), Pharmacy(options(path)))
    cure = next(cut for cut in cured(before, after).cuts if cut.line == 13).cure
    assert (cure.fixes, cure.words) == (True, "gone with the other fixes")


def test_the_sources_are_those_before_the_rewrite(path: str) -> None:
    assert joined(recorded(path), path).texts == {path: MODEL}
    assert rewrite(MODEL, path, options(path)).new != MODEL
