"""Random draws by hypothesis: the same ones each time, and none of its own reports."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis import strategies as st

from .draws import Draw


class _StopError(Exception):
    """Ends the search."""


def run_each(strategy: st.SearchStrategy[Draw], run: Callable[[Draw], bool], examples: int, number: int) -> None:
    """Call `run` on up to `examples` draws, until it returns False; where it calls `hypothesis.target`, that leads on.

    Raises:
        Exception: whatever `run` raised; it is not called again then.
    """
    over = False
    held: list[Exception] = []

    @seed(number)
    @settings(
        max_examples=examples,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.target),
        verbosity=Verbosity.quiet,
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
    )
    @given(strategy)
    def attempt(draw: Draw) -> None:
        nonlocal over
        # What raised once is asked for again by hypothesis, which would be a second time for nothing.
        if not over:
            try:
                over = not run(draw)
            except Exception as error:
                held.append(error)
                over = True
        if over:
            raise _StopError

    try:
        attempt()
    except _StopError:
        if held:
            raise held[0] from None
