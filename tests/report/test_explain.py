"""What `explain` says on a terminal and to machines."""

from __future__ import annotations

import dataclasses
import json

import click
import pytest

from refactor.explained import Cure, Cut, Skipped
from refactor.report import explain
from refactor.report.explain_formats import WRITERS
from refactor.report.figures import duration, percent, times
from refactor.report.reasons import plain
from refactor.verify.trace import Guard

from .synthetic import explanation


def said(**options: bool) -> list[str]:
    return [click.unstyle(line) for line in explain.lines(explanation(), **options)]


def test_a_site_is_one_line_with_reason_cost_rule_and_link() -> None:
    line = next(line for line in said() if line.startswith("model.py:15"))
    assert line == (
        "model.py:15: a Python branch needs the value of a tensor (crossed 12 times in 12 calls, 40.0 µs each, 50.0 ms "
        "of compiling after it); TR101 tensor-branch: `refactor apply` fixes it (select with torch.where, verified, "
        "safe) [https://meta-pytorch.github.io/compile-graph-break-site/gb/gb0170.html]"
    )


def test_without_links_the_registry_id_stays() -> None:
    assert next(line for line in said(links=False) if line.startswith("model.py:15")).endswith("safe) [GB0170]")


def test_a_site_that_stays_says_why() -> None:
    line = next(line for line in said() if line.startswith("model.py:45"))
    assert "TR101 tensor-branch: not fixed: the arms return values of different kinds" in line


def test_the_ledger_has_each_term_before_and_after() -> None:
    table = {line.split("  ")[0]: " ".join(line.split()) for line in said()}
    assert table["T_guard"] == "T_guard 16.0 µs 10.0 µs checking the guards, in a steady call"
    assert table["T_run"].startswith("T_run 220 µs (198 µs to 264 µs) 100 µs (90.0 µs to 120 µs)")
    assert table["f_fail"].startswith("f_fail 25.0 % 0 %")
    assert table["T_rebuild"].startswith("T_rebuild 300 ms none")
    assert table["N_rebuild"].startswith("N_rebuild 3 in 12 0 in 12")
    assert table["T_avg"].startswith("T_avg 75.2 ms 110 µs")


def test_the_loss_and_the_gain_are_told_with_their_spread() -> None:
    assert said()[-3:] == [
        "Lost to the cuts: 120 µs of a steady call (220 µs in pieces, 100 µs after the rewrite).",
        "Gain to expect: T_avg 684x at the failure rates of these calls.",
        "A steady call alone: 2.20x (1.90x to 2.40x over 30 rounds).",
    ]


def test_a_frame_that_is_given_up_is_told_instead_of_a_crossing() -> None:
    cut = Cut(0, "m.py", 3, "words", "reason", "", "", 0, 4, 1, None, 0.0, ("f",), Cure())
    assert (
        explain.cut_line(cut)
        == "\x1b[1mm.py:3\x1b[0m: words (gives up f); \x1b[33mnot fixed: no rule knows this form\x1b[0m"
    )


def test_a_limit_is_told_as_one() -> None:
    item = Skipped("m.py", 3, "f", "compiled too often", True, Cure())
    assert "m.py:3: f: compiled too often (what is new runs eagerly from then on)" in click.unstyle(
        explain.skipped_line(item)
    )


@pytest.mark.parametrize(
    ("guard", "words"),
    [
        (
            Guard(compile_id="0/0", text="t", source="n", expected="1", actual="2"),
            "n was 1 when it was compiled, and is 2",
        ),
        (Guard(compile_id="0/0", text="t", source="n", expected="1"), "n is not 1 any more"),
        (
            Guard(compile_id="0/0", text="t", source="___stack0", expected="0.5", actual="0.25"),
            "a value from before the break was 0.5 when it was compiled, and is 0.25",
        ),
        (Guard(compile_id="0/0", text="len(x) == 3   # for y in x:  # m.py:3"), "len(x) == 3"),
    ],
)
def test_a_guard_in_words(guard: Guard, words: str) -> None:
    assert explain.guard_words(guard) == words


def test_the_json_document_has_the_terms_as_numbers() -> None:
    document = json.loads(WRITERS["json"](explanation()))
    assert (document["schema"], document["command"], document["backend"]) == (1, "explain", "eager")
    ledger = document["before"]["ledger"]
    assert (ledger["rebuilds"], ledger["calls"], ledger["failure_rate"]) == (3, 12, 0.25)
    assert ledger["average_us"] == pytest.approx(75_236)
    assert document["before"]["cuts"][0]["cure"] == {
        "code": "TR101",
        "name": "tensor-branch",
        "fixes": True,
        "words": "select with torch.where, verified, safe",
        "remedy": "",
    }
    assert document["after"]["cuts"] == []


def test_without_a_rewrite_there_is_no_second_column() -> None:
    told = dataclasses.replace(explanation(), after=None, gain=None)
    text = click.unstyle("\n".join(explain.lines(told)))
    assert "after the rewrite" not in text
    assert "Gain" not in text


def test_figures() -> None:
    assert [duration(us) for us in (0.5, 12.34, 999.9, 1000, 2.5e6)] == [
        "0.50 µs",
        "12.3 µs",
        "1000 µs",
        "1.00 ms",
        "2.50 s",
    ]
    assert [percent(share) for share in (0, 0.000123, 0.25, 1)] == ["0 %", "0.012 %", "25.0 %", "100 %"]
    assert times(14.52) == "14.5x"
    assert duration(None) == "not measured"


def test_reasons_without_plain_words_stay_as_they_are() -> None:
    assert plain("Data-dependent branching with non-constant __bool__") == "a Python branch needs the value of a tensor"
    assert plain("Something new") == "Something new"


@pytest.mark.parametrize("form", ["github", "sarif", "gitlab", "junit"])
def test_the_formats_for_machines_name_place_rule_and_reason(form: str) -> None:
    text = WRITERS[form](explanation())
    assert all(part in text for part in ("model.py", "TR101", "a Python branch needs the value of a tensor"))


def test_a_sarif_result_has_its_region_and_a_fingerprint_of_its_own() -> None:
    (run,) = json.loads(WRITERS["sarif"](explanation()))["runs"]
    lines = [result["locations"][0]["physicalLocation"]["region"]["startLine"] for result in run["results"]]
    assert lines == [15, 30, 45, 2]
    assert len({result["partialFingerprints"]["torchRefactor/v1"] for result in run["results"]}) == 4
