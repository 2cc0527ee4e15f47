"""Which of many changes turn a test red."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

Unit = TypeVar("Unit")


def guilty(units: Sequence[Unit], red: Callable[[list[Unit]], bool]) -> list[Unit]:
    """The changes that have to go, one after another, until the rest is green.

    Each is found by halving: the shortest beginning of the rest that is red ends with one that it needs. The number of
    tests is about log2 of the changes for each guilty one, and one more.

    Args:
        units: all changes; together they are red.
        red: whether the test fails with these changes alone. It is asked once more with what is left.
    """
    rest, bad = list(units), list[Unit]()
    while rest:
        low, high = 0, len(rest)
        while high - low > 1:
            middle = (low + high) // 2
            if red(rest[:middle]):
                high = middle
            else:
                low = middle
        bad.append(rest.pop(low))
        if not rest or not red(rest):
            break
    return bad
