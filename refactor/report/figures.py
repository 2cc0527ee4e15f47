"""Figures as text: times with a fitting unit, rates, counts, spreads."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..verify.ledger import Spread

_MS, _S = 1e3, 1e6
_UNKNOWN = "not measured"


def duration(us: float | None) -> str:
    """A time given in µs, with three digits and the unit that fits."""
    if us is None:
        return _UNKNOWN
    if us < _MS:
        return f"{_digits(us)} µs"
    return f"{_digits(us / _MS)} ms" if us < _S else f"{_digits(us / _S)} s"


def percent(share: float) -> str:
    """A share as percentage."""
    value = 100 * share
    return "0 %" if not value else f"{_digits(value)} %" if value >= 1 else f"{value:.2g} %"


def times(ratio: float) -> str:
    """A quotient, `1.83x`."""
    return f"{_digits(ratio)}x"


def span(value: Spread | None) -> str:
    """The 10th and 90th percentile of times in µs; empty where there is none."""
    return "" if value is None else f"{duration(value.low)} to {duration(value.high)}"


def _digits(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
