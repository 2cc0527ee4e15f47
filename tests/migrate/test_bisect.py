"""Which changes turn a test red."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refactor.migrate.bisect import guilty


@given(st.sets(st.integers(0, 30), min_size=1))
def test_changes_that_are_bad_by_themselves(bad: set[int]) -> None:
    found = guilty(range(31), lambda kept: bool(bad & set(kept)))
    assert set(found) == bad


def test_the_number_of_tests_for_one() -> None:
    asked = []
    assert guilty(range(1024), lambda kept: asked.append(len(kept)) or 700 in kept) == [700]
    assert len(asked) == 11


@pytest.mark.parametrize("pair", [(0, 1), (3, 9), (8, 9)])
def test_two_that_are_bad_together(pair: tuple[int, int]) -> None:
    found = guilty(range(10), lambda kept: set(pair) <= set(kept))
    assert found == [pair[1]]
