"""TR209."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..craft.types import Bench
from ..facts import Facts
from ..facts.chosen import ChosenRows as Plan
from ..facts.chosen import chosen_rows
from ..model import Evidence, Finding, Fix, Level, NoFix, Safety
from ..rule import Rule


class ChosenRows(Rule):
    """Rows that a mask chooses, computed by themselves and stored again.

    ## What it does

    Finds `rows = torch.where(mask)[0]` whose rows are computed apart and stored back, in the same function or in one of
    the file that is given them. While compiling all rows are computed, and those that are not chosen keep their values.

    ## Why

    How many rows are chosen depends on values: the gather cuts the graph, and so does every question for their number.

    ## Example

    ```python
    rows = torch.where(long == 1)[0]
    if len(rows) > 0:
        y[rows] = self.fuse(y[rows], self.local(x[rows]))
    ```

    ## Use instead

    ```python
    rows_mask = long == 1
    rows = _rows(rows_mask, not self.training)
    if len(rows) > 0:
        y[rows] = _chosen(rows_mask, self.fuse(y[rows], self.local(x[rows])), y, rows)
    ```

    ## Fix safety

    Always unsafe, as more is computed. Outside of compiled code, and in training mode, nothing changes. In compiled
    code parameters that only chosen rows use get zeros as gradients where they had None, products of all rows may round
    differently, and that layers treat each row by itself in evaluation mode is assumed.

    Refused: rows that are added up, reduced or compared with each other, places that are used for anything else, and
    sizes of the rows that are read behind them.
    """

    code = "TR209"
    registry = ("GB0036", "GB0170")
    nodes = (ast.Assign,)

    def find(self, node: ast.Assign, facts: Facts) -> Iterator[Finding]:
        """One finding per statement that gives the places."""
        outcome = chosen_rows(node, facts)
        if outcome is not None:
            message = f"`{ast.unparse(node.value)}` chooses rows by a mask"
            evidence = Evidence(Level.ASSUMED, "how many rows there are depends on values")
            yield self.finding(node, facts, message, evidence, outcome, Safety.UNSAFE)

    def cut(self, plan: Plan, bench: Bench) -> Fix | NoFix:
        """Compute all rows."""
        from ..craft.chosen import chosen_fix

        return chosen_fix(plan, bench)
