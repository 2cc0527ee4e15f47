"""The bench as a type, for rules, which must not import libcst to be found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .bench import Bench
else:
    Bench = Any

__all__ = ["Bench"]
