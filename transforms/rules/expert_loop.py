"""TR206."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..craft.types import Bench
from ..facts import Facts
from ..facts.experts import Experts, experts
from ..model import Evidence, Finding, Fix, Level, NoFix, Safety
from ..rule import Rule


class ExpertLoop(Rule):
    """A loop over experts that gathers the rows routed to each.

    ## What it does

    Finds loops that take the rows of one expert by `torch.where(mask)`, compute with them row by row, and add the
    results to where the rows came from. While compiling, every expert computes all rows, and those that were not
    routed to it count as zeros.

    ## Why

    How many rows an expert gets depends on values: each such gather cuts the graph, and in a loop Dynamo skips the
    whole frame.

    ## Example

    ```python
    hit = torch.greater(chosen.sum(dim=(-1, -2)), 0).nonzero()
    for i in hit:
        i = i[0]
        slot, row = torch.where(chosen[i])
        out.index_add_(0, row, (x[row] @ self.weight[i]) * scale[row, slot, None])
    ```

    ## Use instead

    ```python
    hit = [(i,) for i in range(len(…))] if torch.compiler.is_compiling() else torch.greater(…).nonzero()
    for i in hit:
        i = i[0]
        slot, row = _places(chosen[i])
        out.index_add_(0, row, _chosen(chosen[i], (x[row] @ self.weight[i]) * scale[row, slot, None]))
    ```

    ## Fix safety

    Always unsafe: the work grows with the number of experts, which is worth it for few or small ones. Outside of
    compiled code nothing changes. In compiled code products of all rows may round differently, and parameters of
    experts without rows get zeros as gradients where they had None. That layers which the file does not show treat
    each row by itself is assumed.

    Refused: bodies that mix rows, draw random numbers or count, rows that are stored where one may be named twice,
    masks in which nothing tells that experts which were not hit have no rows.
    """

    code = "TR206"
    registry = ("GB0036", "GB7000")
    nodes = (ast.For,)

    def find(self, node: ast.For, facts: Facts) -> Iterator[Finding]:
        """One finding per loop."""
        outcome = experts(node, facts)
        if outcome is not None:
            message = "a loop gathers the rows of each expert"
            evidence = Evidence(Level.ASSUMED, "how many rows there are depends on values")
            yield self.finding(node, facts, message, evidence, outcome, Safety.UNSAFE)

    def cut(self, plan: Experts, bench: Bench) -> Fix | NoFix:
        """Compute all rows."""
        from ..craft.experts import experts_fix

        return experts_fix(plan, bench)
