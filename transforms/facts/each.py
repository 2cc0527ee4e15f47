"""Branches on a tensor that make a list of another: `if norm > limit: grads = [g * scale for g in grads]`."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..model import NoFix
from ..trees import walk
from .flow import binds
from .predicates import Predicate, graph_form
from .unchanged import fates
from .values import SCALAR, Tag

if TYPE_CHECKING:
    from . import Facts

_DIVISIONS = (ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
_PLAIN = (ast.BinOp, ast.UnaryOp, ast.Name, ast.Constant, ast.Attribute, ast.Load)


@dataclass(frozen=True, slots=True)
class Each:
    """One such branch.

    Attributes:
        node: the `if`.
        tensor: its condition.
        name: the list.
        made: what the arm makes, item by item.
    """

    node: ast.If
    tensor: ast.expr
    name: str
    made: ast.ListComp


def each(node: ast.If, predicate: Predicate, facts: Facts) -> Each | NoFix | None:
    """The branch, or why both its lists can not be in the graph; None where it makes no list of another."""
    last = node.body[-1]
    match last:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.ListComp(generators=[over]) as made):
            pass
        case _:
            return None
    drawn = isinstance(over.iter, ast.Name) and over.iter.id == name and isinstance(over.target, ast.Name)
    function = facts.function_of(node)
    if not drawn or over.ifs or over.is_async or node.orelse or predicate.host or function is None:
        return None
    if name not in facts.flow(function).bound_before(node):
        return NoFix(f"`{name}` may be unbound")
    effect = facts.effects.of(node.body)
    if effect.mutates or effect.stores or effect.io or effect.unknown or effect.random or effect.reads or effect.breaks:
        return NoFix("its arm does more than making a list")
    above = node.body[:-1]
    live = facts.flow(function).live_after(node)
    plain = all(isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name) for s in above)
    if not plain or binds(*above) & (live | set(facts.kinds.before(node))):
        return NoFix("its arm binds a name that is used outside of it")
    values = [s.value for s in above if isinstance(s, ast.Assign)]
    own = binds(*above) | binds(over.target)
    asked = {n.id for n in walk(predicate.tensor) if isinstance(n, ast.Name)}  # of one element, as the answer is
    for part in (n for v in [*values, made.elt] for n in walk(v)):
        known = isinstance(part, (*_PLAIN, ast.operator, ast.unaryop))
        if isinstance(part, (ast.Name, ast.Attribute)) and isinstance(
            facts.names.parent(part), (ast.BinOp, ast.UnaryOp)
        ):
            value = facts.kinds.of(part)
            number = value.tag is Tag.HOST and value.detail in ("int", "float")
            one = isinstance(part, ast.Name) and (part.id in own or (value.is_tensor and part.id in asked))
            known = number or one or (value.is_tensor and value.shape == SCALAR)
        if isinstance(part, ast.BinOp) and isinstance(part.op, _DIVISIONS):
            known = facts.kinds.of(part.right).tag is Tag.TENSOR or _nonzero(part.right)
        if not known:
            return NoFix(f"`{ast.unparse(part)}` may raise where the condition does not hold")
    end = node.end_lineno or node.lineno
    fate = next(fates(name, function, facts, lambda use: use.lineno > end), None)
    if fate is not None:
        return NoFix(f"{fate.text}, where it shows that the graph gives a new list")
    form = graph_form(predicate.tensor, facts, ast.unparse, "_number")
    return form if isinstance(form, NoFix) else Each(node, predicate.tensor, name, made)


def _nonzero(expr: ast.expr) -> bool:
    return isinstance(expr, ast.Constant) and bool(expr.value)
