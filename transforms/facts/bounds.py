"""Stores between bounds that are tensors: `cache[:, start:end] = key`, whose bounds Python reads on the host."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..model import NoFix
from ..trees import walk
from .values import Tag, category

if TYPE_CHECKING:
    from . import Facts


@dataclass(frozen=True, slots=True)
class BoundedStore:
    """A store that an op can make.

    Attributes:
        node: the statement.
        target: what is stored into.
        value: what is stored.
        tensors: bounds and indices that are tensors.
        numbers: bounds and indices that are Python ints.
    """

    node: ast.Assign
    target: ast.expr
    value: ast.expr
    tensors: tuple[ast.expr, ...]
    numbers: tuple[ast.expr, ...]


def bounded_store(node: ast.Assign, facts: Facts) -> BoundedStore | NoFix | None:
    """The store as one of an op, or why it stays; None where no bound of it is a tensor."""
    target = node.targets[0]
    if len(node.targets) > 1 or not isinstance(target, ast.Subscript) or not facts.kinds.of(target.value).is_tensor:
        return None
    parts = target.slice.elts if isinstance(target.slice, ast.Tuple) else [target.slice]
    slices = [p for p in parts if isinstance(p, ast.Slice)]
    bounds = [e for s in slices for e in (s.lower, s.upper, s.step) if e is not None]
    tensors = [e for e in bounds if facts.kinds.of(e).is_tensor]
    if not tensors:
        return None
    if any(category(facts.kinds.of(e).dtype) in ("float", "bool") for e in tensors):
        return NoFix("a bound is no integer")
    others = [p for p in parts if not isinstance(p, ast.Slice)] + [e for e in bounds if e not in tensors]
    numbers = [e for e in others if not isinstance(e, (ast.Constant, ast.UnaryOp))]
    if any(facts.kinds.of(e).tag is not Tag.HOST or facts.kinds.of(e).detail != "int" for e in numbers):
        return NoFix("an index beside the bounds is not known to be an int")
    if not facts.kinds.of(node.value).is_tensor:
        return NoFix("what is stored is not known to be a tensor")
    if any(isinstance(n, ast.NamedExpr) for n in walk(node)):
        return NoFix("it binds a name as well")
    return BoundedStore(node, target.value, node.value, tuple(tensors), tuple(numbers))
