"""TR107."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..craft.types import Bench
from ..facts import Facts
from ..facts.predicates import graph_form, is_guard, split
from ..facts.updates import Update, updating
from ..model import Evidence, Finding, Fix, Level, NoFix
from ..rule import Rule


class BranchUpdate(Rule):
    """A branch on a tensor that decides whether tensors are updated in place.

    ## What it does

    Finds `if` statements on a tensor's value whose arm does nothing but change tensors in place, such as gradients that
    are scaled when their norm is too large, and keeps them in the graph.

    ## Why

    The branch cuts the graph for a choice that the graph could make itself: to write the new values or the old ones.

    ## Example

    ```python
    if norm > limit:
        for grad in grads:
            grad.mul_(limit / norm)
    ```

    ## Use instead

    ```python
    def when_true():
        for grad in grads:
            grad.mul_(limit / norm)

    _update_if(norm > limit, (grads,), when_true)
    ```

    `_update_if` is a plain branch in eager code. While compiling it runs the update in any case, and puts back with
    `torch.where` what was there if the condition does not hold. Where a target takes a gradient, or is no tensor or
    list of tensors, it branches as before.

    ## Fix safety

    Safe: eager code runs the same statements in the same order. Compiled code writes to the tensors in any case, if
    need be what they hold.

    Refused: arms that do anything else, draw random numbers, or call what may raise for some value; an `else`; names
    that the arm binds and that are used outside of it.
    """

    code = "TR107"
    registry = ("GB0170",)
    nodes = (ast.If,)

    def find(self, node: ast.If, facts: Facts) -> Iterator[Finding]:
        """One finding per branch that only updates."""
        predicate = split(node.test, facts)
        if predicate is None or is_guard(node) or facts.hoists.covers(node.test):
            return
        outcome = updating(node, predicate, facts)
        if outcome is None or facts.stores.of(node) is not None:
            return
        evidence = predicate.evidence
        if evidence.level is Level.ASSUMED:
            evidence = Evidence(Level.PROVED, "`_update_if` asks whether the condition is a tensor")
        message = f"`{ast.unparse(node.test)}` decides whether tensors are updated"
        yield self.finding(node.test, facts, message, evidence, outcome)

    def cut(self, plan: Update, bench: Bench) -> Fix | NoFix:
        """Put a function and a call in the place of the branch."""
        from ..craft.update import update_fix

        predicate = graph_form(plan.tensor, bench.facts, bench.text)
        return predicate if isinstance(predicate, NoFix) else update_fix(plan, predicate, bench)
