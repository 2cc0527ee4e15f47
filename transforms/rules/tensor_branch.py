"""TR101."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from ..craft.types import Bench
from ..facts import Facts
from ..facts.arms import Branch, study
from ..facts.flow import leaves
from ..facts.predicates import graph_form, split
from ..model import Evidence, Finding, Fix, Level, NoFix, Safety
from ..rule import Rule


@dataclass(frozen=True, slots=True)
class Plan:
    """The `if`, its host conjuncts and tensor predicate, and what its arms are."""

    node: ast.If
    host: tuple[ast.expr, ...]
    tensor: ast.expr
    branch: Branch


class TensorBranch(Rule):
    """A Python branch on a tensor's value.

    ## What it does

    Finds `if`, `elif` and conditional statements whose condition is a tensor, in code that may run under
    `torch.compile`, and turns both sides into functions of one call that the graph holds.

    ## Why

    Dynamo cannot know which side is taken while it traces: it ends the graph, branches in Python and starts a new graph.
    The cut costs 25 to 60 µs a call and keeps kernels on both sides from being fused; in a loop the whole frame is skipped.

    ## Example

    ```python
    if hidden.abs().max() > 8:
        hidden = hidden * 0.5
    ```

    ## Use instead

    ```python
    hidden = _where(hidden.abs().max() > 8, lambda hidden: hidden * 0.5, lambda hidden: hidden, (hidden,))
    ```

    `_where` evaluates both sides inside the graph, where they are cheap, raise for no value and have finite
    derivatives; `_cond` (around `torch.cond`) runs only the side taken. Outside of compiled code both are plain branches.

    ## Fix safety

    The eager path is the original's, so results, gradients and effects are the same. The fix is unsafe where a
    parameter's dtype has to be assumed floating, or where an arm runs layers with parameters: in compiled training,
    those of the side not taken then get zero gradients instead of None.

    Refused: arms that write to attributes, arguments or containers, raise, print, draw no tensor, differ in shape or
    dtype, or cannot be captured themselves; conditions on the inputs alone are `input-condition`'s (TR102).
    """

    code = "TR101"
    registry = ("GB0170",)
    nodes = (ast.If,)

    def find(self, node: ast.If, facts: Facts) -> Iterator[Finding]:
        """One finding per `if` that reads a tensor."""
        function = facts.function_of(node)
        if function is None or not facts.regions.of(function) or facts.regions.left_alone(node):
            return
        predicate = split(node.test, facts)
        if predicate is None or _is_guard(node) or facts.hoists.covers(node.test):
            return
        outcome = self._plan(node, facts)
        changes = outcome.branch.changes if isinstance(outcome, Plan) else ()
        assumed = isinstance(outcome, Plan) and outcome.branch.evidence.level is Level.ASSUMED
        safety = Safety.UNSAFE if changes or assumed else Safety.SAFE
        message = f"branch on the value of a tensor, `{ast.unparse(node.test)}`"
        evidence = outcome.branch.evidence if assumed and isinstance(outcome, Plan) else predicate.evidence
        yield self.finding(node.test, facts, message, evidence, outcome, safety)

    def _plan(self, node: ast.If, facts: Facts) -> Plan | NoFix:
        predicate = split(node.test, facts)
        assert predicate is not None
        if predicate.host and (node.orelse or leaves(node.body)):
            return NoFix("a Python condition is mixed in, and the other arm would have to be written twice")
        effect = facts.effects.of([node.test])
        if effect.mutates or effect.stores or effect.io or effect.unknown:
            return NoFix(f"its condition has effects: {effect.why_impure}")
        branch = study(node, facts)
        if isinstance(branch, NoFix):
            return branch
        form = graph_form(predicate.tensor, facts, ast.unparse, "torch")
        return form if isinstance(form, NoFix) else Plan(node, predicate.host, predicate.tensor, branch)

    def cut(self, plan: Plan, bench: Bench) -> Fix | NoFix:
        """Replace the `if` (and what its early return skips) by one call."""
        from ..craft.branch import branch_call

        if not bench.alone(plan.branch.replaced):
            return NoFix("it shares its line with another statement")
        predicate = graph_form(plan.tensor, bench.facts, bench.text, "torch")
        if isinstance(predicate, NoFix):
            return predicate
        margin = bench.margin(plan.node)
        predicate = predicate[1:-1] if predicate.startswith("(") and predicate.endswith(")") and plan.tensor.__class__ is ast.BoolOp else predicate
        inner = margin + bench.source.indent if plan.host else margin
        text = branch_call(plan.branch, predicate, bench, inner, plan.node)
        if plan.host:
            text = f"{margin}if {' and '.join(bench.text(h) for h in plan.host)}:{bench.source.newline}{text}"
        safety = Safety.UNSAFE if plan.branch.changes or plan.branch.evidence.level is Level.ASSUMED else Safety.SAFE
        return Fix(
            edits=(bench.replace(plan.branch.replaced, text),),
            safety=safety,
            summary="keep the branch in the graph",
            changes=plan.branch.changes,
            conditions=(bench.condition(plan.node.test),),
        )


def _is_guard(node: ast.If) -> bool:
    """An arm that only raises belongs to `tensor-guard` (TR103)."""
    return any(len(side) >= 1 and isinstance(side[-1], ast.Raise) for side in (node.body, node.orelse))


__all__ = ["Evidence", "TensorBranch"]
