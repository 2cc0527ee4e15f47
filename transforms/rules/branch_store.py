"""TR104."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from ..craft.types import Bench
from ..facts import Facts
from ..facts.predicates import Predicate, graph_form, split
from ..facts.stores import Stored
from ..model import Finding, Fix, Level, NoFix, Safety
from ..rule import Rule


@dataclass(frozen=True, slots=True)
class Plan:
    """The `if`, its tensor predicate, and what its arms store."""

    node: ast.If
    tensor: ast.expr
    stored: Stored


class BranchStore(Rule):
    """A branch on a tensor that decides what an attribute becomes.

    ## What it does

    Finds branches on a tensor's value whose arms only store attributes or buffers of the instance, or copy into them,
    and turns them into one store of a chosen value. An attribute that one arm leaves alone keeps its value.

    ## Why

    The branch cuts the graph for a choice between two tensors that the graph could make itself.

    ## Example

    ```python
    if loss < self.best:
        self.best = loss.detach()
        self.kept = out.detach()
    ```

    ## Use instead

    ```python
    self.best, self.kept = _select(
        loss < self.best,
        lambda: (loss.detach(), out.detach()),
        lambda: (self.best, self.kept),
    )
    ```

    `_select` is a plain branch in eager code. While compiling it takes both values and `torch.where`, if they are
    tensors of the same shape, dtype and device without gradients, and branches as before if they are not. `_copy_if`
    does the same for an in-place copy.

    ## Fix safety

    Safe: eager code runs the same statements in the same order. In compiled code the attribute holds a tensor of its
    own, which shares no memory with the value chosen, and what an arm makes when first wanted is made.
    The fix is unsafe where the values may take gradients or differ in shape: then the helper itself breaks the graph.

    Refused: values that are costly, may raise, draw random numbers or have effects, as both are computed while
    compiling; arguments themselves; attributes that `__init__` does not set and one arm leaves alone; locals of an arm.
    """

    code = "TR104"
    registry = ("GB0170",)
    nodes = (ast.If,)

    def find(self, node: ast.If, facts: Facts) -> Iterator[Finding]:
        """One finding per branch whose arms do nothing but store."""
        stored = facts.stores.of(node)
        if stored is None or facts.hoists.covers(node.test):
            return
        predicate = split(node.test, facts)
        assert predicate is not None
        outcome = stored if isinstance(stored, NoFix) else self._plan(node, predicate, stored, facts)
        message = f"branch on the value of a tensor, `{ast.unparse(node.test)}`, that decides what is stored"
        evidence = predicate.evidence if isinstance(outcome, NoFix) else outcome.stored.evidence
        evidence = evidence if evidence.level is Level.ASSUMED else predicate.evidence
        yield self.finding(node.test, facts, message, evidence, outcome, _safety(outcome))

    def _plan(self, node: ast.If, predicate: Predicate, stored: Stored, facts: Facts) -> Plan | NoFix:
        if predicate.host:
            return NoFix("a Python condition is mixed in")
        effect = facts.effects.of([node.test])
        if effect.mutates or effect.stores or effect.io or effect.unknown:
            return NoFix(f"its condition has effects: {effect.why_impure}")
        form = graph_form(predicate.tensor, facts, ast.unparse)
        return form if isinstance(form, NoFix) else Plan(node, predicate.tensor, stored)

    def cut(self, plan: Plan, bench: Bench) -> Fix | NoFix:
        """Replace the branch by one store."""
        from ..craft.stores import one_store

        if not bench.alone([plan.node]):
            return NoFix("it shares its line with another statement")
        predicate = graph_form(plan.tensor, bench.facts, bench.text)
        if isinstance(predicate, NoFix):
            return predicate
        text = one_store(plan.stored, predicate, bench, bench.margin(plan.node), bench.opens_block(plan.node))
        edit = bench.replace([plan.node], text)
        return Fix(
            (edit,),
            _safety(plan),
            "store once",
            changes=plan.stored.changes,
            conditions=(bench.condition(plan.node.test),),
        )


def _safety(outcome: Plan | NoFix) -> Safety:
    assumed = isinstance(outcome, Plan) and outcome.stored.evidence.level is Level.ASSUMED
    return Safety.UNSAFE if assumed else Safety.SAFE
