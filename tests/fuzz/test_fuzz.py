"""The random programs: that they are programs, that the rig sees a fault, that a fault is made small."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, given, settings

import refactor.engine

from . import rig
from .mutated import mutated, seeds
from .programs import CALLS, HEADER, programs
from .reduce import reduced

ENTRY = """

def entry(x, y, mask=None, steps=2, k=0.5, flag=True, extra=None):
    z = x * 2
    if x.sum() > 0:
        z = z + 1
    print("done")
    return z


def make_callable():
    return entry
"""
PROGRAM = HEADER + ENTRY + CALLS.format(steps=2)


@settings(max_examples=30, suppress_health_check=list(HealthCheck))
@given(programs())
def test_programs_parse(text: str) -> None:
    compile(text, "program.py", "exec")


def test_changed_cases_are_programs_of_their_own() -> None:
    made = [mutated(random.Random(number)) for number in range(60)]
    for text in made:
        compile(text, "program.py", "exec")
    assert len(set(made) - set(seeds())) > 55
    assert made == [mutated(random.Random(number)) for number in range(60)]


def test_a_program_is_rewritten_and_judged() -> None:
    outcome = rig.judged(PROGRAM)
    assert outcome.rewrite.changed
    assert outcome.verdict is not None
    assert (outcome.verdict.status, outcome.verdict.gains) == ("VERIFIED", True)


def test_a_wrong_rewrite_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    real = refactor.engine.rewrite

    def wrong(text: str, *more: object) -> refactor.engine.Rewrite:
        result = real(text, *more)
        return type(result)(result.name, result.old, result.new.replace("z + 1", "z + 2"), result.fixes, result.left)

    monkeypatch.setattr(
        rig, "rewrite", lambda text, *more: wrong(text, *more) if "z + 1" in text else real(text, *more)
    )
    with pytest.raises(rig.FaultError, match="returned"):
        rig.judged(PROGRAM, compiled=False)


def test_a_fault_is_made_small() -> None:
    small = reduced(PROGRAM, lambda text: "TR302: print" if "done" in text else "", "TR302: print")
    assert "done" in small
    assert "x.sum() > 0" not in small
