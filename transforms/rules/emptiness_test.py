"""TR108."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..craft.types import Bench
from ..facts import Facts
from ..facts.idle import Idle, idle
from ..facts.predicates import split
from ..model import Finding, Fix, Safety
from ..rule import Rule


class EmptinessTest(Rule):
    """A test whether a mask selects anything, around what does nothing where it does not.

    ## What it does

    Finds `if mask.any():`, `if not mask.all():`, `if mask.sum() > 0:` before statements that only fill what the mask
    selects, and has compiled code run them in any case.

    ## Why

    Asking the mask cuts the graph, and costs a synchronisation on an accelerator. What is asked for saves a filling
    that does nothing.

    ## Example

    ```python
    bad = scores.isnan()
    if bad.any():
        scores[bad] = 0.0
    ```

    ## Use instead

    ```python
    bad = scores.isnan()
    if torch.compiler.is_compiling() or bad.any():
        scores[bad] = 0.0
    ```

    ## Fix safety

    Safe: eager code is the same. Compiled code runs the statements for an empty mask as well, which changes no value.

    Refused (by not being found): arms that do anything else, an `else`, masks of which it is not certain that they are
    bool, values that are computed and may be dear, may raise, or whose gradient may be infinite; a new tensor of
    another shape or dtype, or one that could be told from the old.
    """

    code = "TR108"
    registry = ("GB0170",)
    nodes = (ast.If,)

    def find(self, node: ast.If, facts: Facts) -> Iterator[Finding]:
        """One finding per test."""
        plan, predicate = idle(node, facts), split(node.test, facts)
        if plan is not None and predicate is not None:
            message = f"`{ast.unparse(plan.tensor)}` asks a mask before what does nothing if it is empty"
            yield self.finding(node.test, facts, message, predicate.evidence, plan)

    def cut(self, plan: Idle, bench: Bench) -> Fix:
        """Ask in eager code alone."""
        torch = bench.torch(plan.node)
        tail = plan.tensor
        text = f"{torch}.compiler.is_compiling() or {bench.text(tail)}"
        edit = bench.swap(tail, f"({text})" if plan.several else text)
        summary = "ask the mask in eager code alone"
        return Fix((edit,), Safety.SAFE, summary, conditions=(bench.condition(plan.node.test),))
