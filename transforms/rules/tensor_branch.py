"""TR101."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from ..craft.types import Bench
from ..facts import Facts
from ..facts.decisions import Decision, decide
from ..facts.each import Each
from ..facts.latches import unchanging
from ..facts.predicates import is_guard, split, value_form
from ..facts.updates import decided_elsewhere
from ..model import Edit, Evidence, Finding, Fix, Level, NoFix, Safety
from ..rule import Rule


@dataclass(frozen=True, slots=True)
class Connective:
    """An `and` or `or` of tensors whose value is used."""

    node: ast.BoolOp


class TensorBranch(Rule):
    """A Python branch on a tensor's value.

    ## What it does

    Finds `if`, `elif` and conditional statements whose condition is a tensor, in code that may run under
    `torch.compile`, and turns both sides into functions of one call that the graph holds. So are branches that make a
    list of the one before, as when gradients are clipped; item by item, where none takes a gradient.

    ## Why

    Dynamo cannot know which side is taken while it traces: it ends the graph, branches in Python and starts a new one.
    The cut costs 25 to 60 µs a call and keeps kernels on both sides from being fused; in a loop the whole frame is
    skipped.

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
    derivatives; `_cond` (around `torch.cond`) runs only the side taken. Where the text does not tell whether cheap
    sides give the same shape and dtype, `_where_alike` asks while tracing, and branches as before if they do not.
    Outside of compiled code all are plain branches.

    ## Fix safety

    The eager path is the original's, so results, gradients and effects are the same. The fix is unsafe where a
    parameter's dtype has to be assumed floating, or where an arm runs layers with parameters: in compiled training,
    those of the side not taken then get zero gradients instead of None; the same where one side gives a constant.

    Refused: arms that write to attributes, arguments or containers, raise, print, draw no tensor, differ in shape or
    dtype (or may do so, if they are costly), or cannot be captured themselves; arms that give an argument or another
    tensor that lasts itself, where it shows that a graph gives a copy; conditions on the inputs alone are
    `input-condition`'s (TR102).
    """

    code = "TR101"
    registry = ("GB0170",)
    nodes = (ast.If, ast.IfExp, ast.BoolOp)

    def find(self, node: ast.If | ast.IfExp | ast.BoolOp, facts: Facts) -> Iterator[Finding]:
        """One finding per condition that reads a tensor."""
        if isinstance(node, ast.BoolOp):
            if value_form(node, facts, ast.unparse) is not None:
                sure = Evidence(Level.PROVED, "its operands are 0-d tensors")
                message = f"`{ast.unparse(node)}` asks a tensor for its truth"
                yield self.finding(node, facts, message, sure, Connective(node))
            return
        predicate = split(node.test, facts)
        if predicate is None or is_guard(node) or facts.hoists.covers(node.test):
            return
        if isinstance(node, ast.If) and decided_elsewhere(node, predicate, facts):
            return
        outcome = decide(node, predicate, facts)
        if isinstance(outcome, NoFix):
            outcome = unchanging(node.test, facts) or outcome
        safety, evidence = Safety.SAFE, predicate.evidence
        if isinstance(outcome, Decision):
            safety, sure = outcome.safety, outcome.branch.evidence
            evidence = sure if sure.level is Level.ASSUMED else evidence
        message = f"branch on the value of a tensor, `{ast.unparse(node.test)}`"
        yield self.finding(node.test, facts, message, evidence, outcome, safety)

    def cut(self, plan: Decision | Connective | Each, bench: Bench) -> Fix | NoFix:
        """Replace the `if` (and what its early return skips) by one call."""
        from ..craft.branch import asked, branch_edit, choice, each_edit

        if isinstance(plan, Connective):
            text = str(value_form(plan.node, bench.facts, bench.text))
            return Fix((bench.swap(plan.node, text),), Safety.SAFE, "combine the conditions in the graph")
        predicate = asked(plan.tensor, bench)
        if isinstance(predicate, NoFix):
            return predicate
        if isinstance(plan, Each):
            edit: Edit | NoFix = each_edit(plan, predicate, bench)
        elif isinstance(plan.node, ast.IfExp):
            edit = bench.swap(plan.node, choice(plan.branch, predicate, bench))
        else:
            edit = branch_edit(plan.node, plan.host, plan.branch, predicate, bench)
        if isinstance(edit, NoFix):
            return edit
        conditions = (bench.condition(plan.node.test),)
        changes = plan.branch.changes if isinstance(plan, Decision) else ()
        safety = plan.safety if isinstance(plan, Decision) else Safety.SAFE
        return Fix((edit,), safety, "keep the branch in the graph", changes=changes, conditions=conditions)
