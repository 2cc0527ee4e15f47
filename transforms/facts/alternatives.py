"""What a function returns where a mask selects nothing, instead of the reduction."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .masks import Picked

if TYPE_CHECKING:
    from . import Facts

KINDS = frozenset({"mean", "max", "min"})


@dataclass(frozen=True, slots=True)
class Alternative:
    """`if picked.numel() == 0: return value`, followed by `return picked.mean()`; or the other way round."""

    test: ast.If
    tail: ast.Return
    value: ast.expr


def alternative(picked: Picked, facts: Facts) -> Alternative | None:
    """The two returns that are all the readers of a selection, None for any others."""
    if len(picked.tests) != 1 or len(picked.reductions) != 1:
        return None
    (asked,), (reduction,) = picked.tests, picked.reductions
    test = facts.names.parent(asked.node)
    if not isinstance(test, ast.If) or test.orelse or reduction.selection.lifted or reduction.kind not in KINDS:
        return None
    block = getattr(facts.names.parent(test), "body", [])
    behind = block[block.index(test) + 1 :][:1] if test in block else []
    if len(test.body) != 1 or not isinstance(test.body[0], ast.Return) or not behind:
        return None
    first, tail = test.body[0], behind[0]
    if not isinstance(tail, ast.Return):
        return None
    value, reduced = (first.value, tail.value) if asked.holds else (tail.value, first.value)
    if value is None or reduced is not reduction.node or not facts.kinds.of(value).is_tensor:
        return None
    effect = facts.effects.of([value])
    return Alternative(test, tail, value) if effect.pure and not effect.reads else None


__all__ = ["Alternative", "alternative"]
