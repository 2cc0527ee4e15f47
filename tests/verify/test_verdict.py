from __future__ import annotations

import json

import pytest

from refactor.verify.verdict import Arm, Counts, Request, Site, Verdict, request_from, to_plain, verdict_from

SITE = Site("model.py", 3, "Data-dependent jump")


def test_request_survives_json() -> None:
    request = Request("a", "b", "model.py", "make", "x.py:inputs", ((1, 2, 1, 9),), ("dtype: wider",), 7)
    assert request_from(json.loads(json.dumps(to_plain(request)))) == request


def test_verdict_survives_json() -> None:
    counts = Counts(2, (SITE,), 1, 0, 3, 1, 0.5)
    verdict = Verdict("REFUTED", ("why",), "print()", (Arm(1, 4, 2, 0),), counts, None, 7, "{}")
    assert verdict_from(json.loads(json.dumps(to_plain(verdict)))) == verdict


def test_an_arm_is_exercised_only_both_ways() -> None:
    assert Arm(1, 0, 1, 1).exercised
    assert not Arm(1, 0, 5, 0).exercised
    assert not Arm(1, 0, 0, 5).exercised


@pytest.mark.parametrize(
    ("before", "after", "gains"),
    [
        (Counts(1), Counts(1), False),
        (Counts(2, (SITE,), 1, captured_ratio=0.8), Counts(1, captured_ratio=1.0), True),
        (Counts(0, (SITE,), 1, 1, captured_ratio=0.0), Counts(4, (SITE,), 3, 1, captured_ratio=1.0), True),
        (Counts(3, (SITE,), 1, 0, 0), Counts(2, (), 0, 0, 1), True),
        (Counts(2, (SITE,), 1), Counts(1, (), 0, 1), False),
        (Counts(2, (SITE,), 1, limit_hits=0), Counts(1, (), 0, limit_hits=1), False),
        (Counts(2, (SITE,), 1, captured_ratio=0.8), Counts(1, (), 0, captured_ratio=0.5), False),
        (Counts(1, (), 0, 0, 0), Counts(1, (), 0, 0, 4), False),
        (Counts(6, (), 0, 0, 5), Counts(1, (), 0, 0, 0), True),
        (Counts(9, (), 0, 0, 8, 1), Counts(9, (), 0, 0, 8), True),
        (Counts(6, (), 0, 0, 5), Counts(2, (SITE,), 1, 0, 0), False),
        (Counts(5, (), 0, 0, 4, captured_ratio=1.0), Counts(2, (), 0, 0, 2, captured_ratio=0.8), True),
        (Counts(5, (), 0, 0, 4, captured_ratio=1.0), Counts(4, (), 0, 0, 3, captured_ratio=0.8), False),
    ],
    ids=[
        "the same",
        "a break less",
        "a skipped frame is captured in pieces",
        "a break became a recompile",
        "a break became a skip",
        "a break became a limit hit",
        "work left the graph",
        "only recompiles",
        "recompiles less",
        "a limit is not hit",
        "recompiles became a break",
        "half of the recompiles, at a few operators",
        "a recompile, at a few operators",
    ],
)
def test_gains(before: Counts, after: Counts, gains: bool) -> None:
    assert Verdict("VERIFIED", before=before, after=after).gains is gains


def test_nothing_measured_is_no_gain() -> None:
    assert not Verdict("VERIFIED").gains
