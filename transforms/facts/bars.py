"""Progress bars around what a loop runs over."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..model import NoFix

if TYPE_CHECKING:
    from . import Facts

_AROUND = frozenset(f"tqdm{module}.tqdm" for module in ("", ".auto", ".std", ".autonotebook", ".notebook"))
_RANGES = frozenset(name.removesuffix("tqdm") + "trange" for name in _AROUND)
_AROUND_TOO = frozenset({"rich.progress.track"})
BARS = _AROUND | _RANGES | _AROUND_TOO


@dataclass(frozen=True, slots=True)
class Bar:
    """`for x in tqdm(values)`: the call, and what it shows the progress of (`range(…)` where it makes that itself)."""

    call: ast.Call
    iterated: ast.expr | None


def bar(loop: ast.For, facts: Facts) -> Bar | NoFix | None:
    """The bar of a loop; None where there is none."""
    call = loop.iter
    if not isinstance(call, ast.Call) or (qualified := facts.names.qualified(call.func)) not in BARS:
        return None
    if any(isinstance(a, ast.Starred) for a in call.args) or not call.args:
        return NoFix("nothing tells what the bar runs over")
    shown = [*call.args[1:], *(k.value for k in call.keywords)]
    if qualified in _RANGES:
        if len(call.args) > 3:
            return NoFix("nothing tells what the bar runs over")
        return Bar(call, None) if facts.effects.of([k.value for k in call.keywords]).pure else _EFFECTS
    return Bar(call, call.args[0]) if facts.effects.of(shown).pure else _EFFECTS


_EFFECTS = NoFix("what the bar shows has effects")

__all__ = ["BARS", "Bar", "bar"]
