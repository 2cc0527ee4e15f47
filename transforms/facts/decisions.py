"""A condition on a tensor with both of its arms: what a graph can hold of it."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..model import Level, NoFix, Safety
from .arms import Branch, choose, study
from .each import Each, each
from .flow import leaves
from .predicates import Predicate, graph_form

if TYPE_CHECKING:
    from . import Facts


@dataclass(frozen=True, slots=True)
class Decision:
    """An `if` or a conditional expression that a graph can hold.

    Attributes:
        node: the statement or expression.
        host: leading conjuncts that are Python values; they stay in an `if`.
        tensor: the predicate that is a tensor.
        branch: the arms; turned round where the condition is a negated one.
    """

    node: ast.If | ast.IfExp
    host: tuple[ast.expr, ...]
    tensor: ast.expr
    branch: Branch

    @property
    def safety(self) -> Safety:
        """Unsafe where the branch changes something, or a dtype has to be assumed."""
        return Safety.UNSAFE if self.branch.changes or self.branch.evidence.level is Level.ASSUMED else Safety.SAFE


def decide(node: ast.If | ast.IfExp, predicate: Predicate, facts: Facts) -> Decision | Each | NoFix:
    """The decision at `node`, whose condition is `predicate`, or why it stays in Python."""
    if predicate.host and (isinstance(node, ast.IfExp) or node.orelse or leaves(node.body)):
        return NoFix("a Python condition is mixed in, and the other arm would have to be written twice")
    effect = facts.effects.of([node.test])
    if effect.mutates or effect.stores or effect.io or effect.unknown:
        return NoFix(f"its condition has effects: {effect.why_impure}")
    lists = each(node, predicate, facts) if isinstance(node, ast.If) else None
    if lists is not None:
        return lists
    branch = choose(node, facts) if isinstance(node, ast.IfExp) else study(node, facts)
    if isinstance(branch, NoFix):
        return branch
    tensor = predicate.tensor
    if isinstance(tensor, ast.UnaryOp) and isinstance(tensor.op, ast.Not):
        tensor, branch = tensor.operand, branch.turned
    form = graph_form(tensor, facts, ast.unparse, "_number")
    return form if isinstance(form, NoFix) else Decision(node, predicate.host, tensor, branch)
