"""TR102."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from ..craft.types import Bench
from ..facts import Facts
from ..facts.hoists import Hoist
from ..model import Evidence, Finding, Fix, Level, NoFix, Safety
from ..rule import Rule


@dataclass(frozen=True, slots=True)
class Plan:
    """The hoist of the whole function; the findings of one function share it."""

    hoist: Hoist


class InputCondition(Rule):
    """A host value computed from the inputs alone.

    ## What it does

    Finds conditions on tensors, `.item()`, `.tolist()`, masks and other host values that depend on nothing but the
    inputs of a function that is compiled itself. They are computed once, as Python values, in an eager outer function
    that passes them into the compiled core. All of one function go into one place.

    ## Why

    Such a value cuts the graph where it is read, though it could be known before the graph starts. Passed in, each
    value of a flag makes one graph, and the call runs without a cut.

    ## Example

    ```python
    def forward(self, x, mask):
        h = self.inner(x)
        if mask.all():
            return h.mean(1)
        return (h * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
    ```

    ## Use instead

    ```python
    @torch.compiler.disable(recursive=False)
    def forward(self, x, mask):
        return self._forward(x, mask, mask_all=bool(mask.all()))

    def _forward(self, x, mask, *, mask_all):
        h = self.inner(x)
        if mask_all:
            return h.mean(1)
        return (h * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
    ```

    For a function decorated with `torch.compile` the decorator moves to the core.

    ## Fix safety

    Safe: the values are computed by the same expressions from the same inputs, under the conditions that guarded them.
    Refused in a function that other compiled code of the file calls (the outer part would cut its caller's graph), for
    inputs that are changed before, for conditions under which evaluation could raise, and for more than three flags
    (each doubles the number of graphs, and Dynamo keeps eight).
    """

    code = "TR102"
    registry = ("GB0170", "GB0124")
    nodes = (ast.FunctionDef,)

    def find(self, node: ast.FunctionDef, facts: Facts) -> Iterator[Finding]:
        """One finding per expression that is read on the host."""
        region = facts.regions.of(node)
        if not region or not region.entry or facts.function_of(node) is not None:
            return
        hoist = facts.hoists.of(node)
        if not isinstance(hoist, Hoist):
            return
        for site in hoist.sites:
            if facts.regions.left_alone(site):
                continue
            message = f"`{ast.unparse(site)}` is known from the inputs before the graph starts"
            value = facts.kinds.of(site)
            level = value.level if value.level in (Level.PROVED, Level.ASSUMED) else Level.ASSUMED
            yield self.finding(
                site,
                facts,
                message,
                Evidence(level, value.because or "it is computed from the inputs"),
                Plan(hoist),
                Safety.SAFE,
            )

    def cut(self, plan: Plan, bench: Bench) -> Fix | NoFix:
        """Split the function."""
        from ..craft.split import split

        edits = split(plan.hoist, bench)
        if isinstance(edits, NoFix):
            return edits
        conditions = tuple(bench.condition(f.node) for f in plan.hoist.flags if f.boolean)
        return Fix(
            edits=tuple(edits),
            safety=Safety.SAFE,
            summary="decide on the inputs before the graph",
            conditions=conditions,
        )
