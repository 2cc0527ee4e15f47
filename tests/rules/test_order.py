"""All rules together over the texts of the cases: their order changes nothing, and none undoes another's work."""

from __future__ import annotations

import random

import pytest

from refactor.passes import Aim, Outcome, settle
from refactor.transforms import rule, smith

from .test_cases import CASES, RULES, Case, identify, parse_flags

SAMPLE = 12  # every how manieth text is tried by default
CODES = frozenset(r.code for r in RULES)


def params() -> list[object]:
    """One case for each text; most of them are slow ones."""
    texts: dict[str, Case] = {}
    for case in CASES:
        texts.setdefault(case.input, case)
    marks = [() if i % SAMPLE == 0 else pytest.mark.slow for i in range(len(texts))]
    return [pytest.param(c, id=identify(c), marks=m) for c, m in zip(texts.values(), marks, strict=True)]


def settled(case: Case, select: frozenset[str] = CODES, text: str | None = None) -> Outcome:
    """The text with all rules, as a user applies them, under the flags of the case."""
    risky, settings = parse_flags(" ".join(case.values("flags")))
    aim = Aim(select, select == CODES, risky, settings)
    return settle(case.input if text is None else text, case.path.name, aim, {}, smith)


@pytest.mark.parametrize("case", params())
def test_the_order_of_the_rules_changes_nothing(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = settled(case)
    rules = list(rule.registry().items())
    for seed in range(2):
        random.Random(seed).shuffle(rules)
        shuffled = dict(rules)
        for module in (rule, smith):
            monkeypatch.setattr(module, "registry", lambda known=shuffled: known)
        assert settled(case).new == expected.new, list(shuffled)


@pytest.mark.parametrize("case", params())
def test_no_rule_undoes_the_work_of_another(case: Case) -> None:
    outcome = settled(case)
    assert outcome.notes == ()
    keys = [item.key for item in outcome.applied]
    assert len(set(keys)) == len(keys), "a site was mended twice"
    for code in sorted(CODES):
        assert settled(case, frozenset({code}), outcome.new).new == outcome.new, code
