"""Verdicts are kept by content."""

from __future__ import annotations

import concurrent.futures
import os
from dataclasses import replace
from pathlib import Path

import pytest

from refactor.cache import remembered
from refactor.verify.verdict import Arm, Counts, Request, Site, Verdict

VERDICT = Verdict(
    "VERIFIED",
    ("no difference",),
    arms=(Arm(1, 0, 2, 3),),
    before=Counts(break_sites=(Site("m.py", 1, "why"),)),
    files=(),
)


class Bench:
    """A judge that counts how often it is asked."""

    def __init__(self, verdict: Verdict = VERDICT) -> None:
        self.verdict, self.asked = verdict, 0

    def __call__(self, request: Request) -> Verdict:
        self.asked += 1
        return self.verdict


@pytest.fixture
def request_(tmp_path: Path) -> Request:
    return Request("x = 1\n", "x = 2\n", str(tmp_path / "m.py"), timeout_s=10.0)


def test_the_same_question_is_asked_once(tmp_path, request_):
    bench = Bench()
    ask = remembered(bench, tmp_path / "cache")
    assert [ask(request_), ask(request_), remembered(bench, tmp_path / "cache")(request_)] == [VERDICT] * 3
    assert bench.asked == 1
    assert (tmp_path / "cache" / ".gitignore").read_text() == "*\n"


@pytest.mark.parametrize(
    "other",
    [
        {"new": "x = 3\n"},
        {"old": "x = 0\n"},
        {"seed": 1},
        {"examples": 7},
        {"declared": ("dtype: x",)},
        {"timeout_s": 20.0},
    ],
)
def test_another_question_is_asked(tmp_path, request_, other):
    bench = Bench()
    ask = remembered(bench, tmp_path / "cache")
    ask(request_)
    ask(replace(request_, **other))
    assert bench.asked == 2


def test_a_little_less_time_is_the_same_question(tmp_path, request_):
    bench = Bench()
    ask = remembered(bench, tmp_path / "cache")
    ask(request_)
    ask(replace(request_, timeout_s=12.0))
    ask(replace(request_, timeout_s=3.0))
    assert bench.asked == 1


def test_an_imported_file_that_changed_makes_it_another_question(tmp_path, request_):
    beside = tmp_path / "beside.py"
    beside.write_text("VALUE = 1\n")
    bench = Bench(replace(VERDICT, files=(str(beside),)))
    ask = remembered(bench, tmp_path / "cache")
    ask(request_)
    ask(request_)
    assert bench.asked == 1
    beside.write_text("VALUE = 2\n")
    ask(request_)
    assert bench.asked == 2


def test_a_judge_that_was_ended_is_asked_again(tmp_path, request_):
    bench = Bench(Verdict("UNVERIFIED", ("no answer within 10 s",)))
    ask = remembered(bench, tmp_path / "cache")
    ask(request_)
    ask(request_)
    assert bench.asked == 2


@pytest.mark.parametrize("text", ["", "{", "[]", '{"timeout_s": 10}'])
def test_an_entry_that_cannot_be_read_counts_as_missing(tmp_path, request_, text):
    bench = Bench()
    ask = remembered(bench, tmp_path / "cache")
    ask(request_)
    (entry,) = (tmp_path / "cache" / "verdicts").iterdir()
    entry.write_text(text)
    assert ask(request_) == VERDICT
    assert bench.asked == 2


@pytest.mark.skipif(os.getuid() == 0, reason="nothing is forbidden to root")
def test_a_folder_that_cannot_be_written_is_left_alone(tmp_path, request_):
    (tmp_path / "cache").mkdir(mode=0o500)
    bench = Bench()
    assert remembered(bench, tmp_path / "cache")(request_) == VERDICT


def test_several_at_once(tmp_path, request_):
    bench = Bench()
    ask = remembered(bench, tmp_path / "cache")
    questions = [replace(request_, seed=number % 5) for number in range(50)]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert set(pool.map(ask, questions)) == {VERDICT}
    names = sorted(path.suffix for path in (tmp_path / "cache" / "verdicts").iterdir())
    assert names == [".json"] * 5
