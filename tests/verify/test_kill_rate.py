"""The library of mutants: wrong rewrites are refuted, with given and with found calls, and right ones never."""

from __future__ import annotations

import importlib.util
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest


def _load() -> ModuleType:
    path = Path(__file__).with_name("kill_rate.py")
    spec = importlib.util.spec_from_file_location("kill_rate", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["kill_rate"] = module
    spec.loader.exec_module(module)
    return module


MUTANTS = list(_load().mutants())


def test_the_library_is_large_enough() -> None:
    wrong = [mutant for mutant in MUTANTS if mutant.wrong]
    assert len(wrong) >= 40
    assert len({mutant.kind for mutant in wrong}) >= 20
    assert len(MUTANTS) - len(wrong) >= 40
    assert max(Counter(mutant.name for mutant in MUTANTS).values()) == 1


@pytest.mark.slow
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_with_given_calls(mutant) -> None:
    assert mutant.judged(given=True).status == ("REFUTED" if mutant.wrong else "VERIFIED")


@pytest.mark.slow
def test_with_found_calls() -> None:
    statuses = [(mutant.wrong, mutant.judged(given=False).status) for mutant in MUTANTS]
    assert (False, "REFUTED") not in statuses
    assert statuses.count((True, "REFUTED")) >= 0.85 * sum(mutant.wrong for mutant in MUTANTS)
