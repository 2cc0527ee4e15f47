"""Garbage collection for work on trees: many small objects that live as long as their file is looked at."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

# How many more objects there are before a collection, in place of Python's 700: a file of 1,000 lines has some 20,000.
_YOUNG = 100_000


def collect_rarely() -> None:
    """Look for rings of objects less often, and never among those that are there now."""
    gc.freeze()
    gc.set_threshold(_YOUNG, 20, 100)


@contextmanager
def collected_rarely() -> Iterator[None]:
    """The same for a while."""
    before = gc.get_threshold()
    collect_rarely()
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
