"""TR503."""

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
    """The split of the whole entry; `assumed`: nothing in the file compiles it."""

    hoist: Hoist
    assumed: bool


class VaryingPythonValue(Rule):
    """A Python number of the caller that the graph keeps as a constant.

    ## What it does

    Finds functions of `math` (`exp`, `log`, `pow` …) that a compiled entry applies to numbers it is given. They are
    computed in an eager outer function, and their result is passed into the compiled core.

    ## Why

    Dynamo takes a number that varies for a variable of the graph, but computes these functions while it traces. Each
    number then compiles the function again, and after the eighth the rest of the calls run eagerly.

    ## Example

    ```python
    @torch.compile
    def decayed(x, t: float):
        return x * math.exp(-t / 10)
    ```

    ## Use instead

    ```python
    def decayed(x, t: float):
        return _decayed(x, t, t_exp=math.exp(-t / 10))

    @torch.compile
    def _decayed(x, t, *, t_exp):
        return x * t_exp
    ```

    ## Fix safety

    Safe where the file compiles the function by name: the number is computed by the same expression. Unsafe where that
    is only assumed, as the eager part cuts the graph of a compiled caller, and the number may in truth never change.
    """

    code = "TR503"
    registry = ("GB0039",)
    nodes = (ast.FunctionDef,)

    def find(self, node: ast.FunctionDef, facts: Facts) -> Iterator[Finding]:
        """One finding per function of `math` that is computed while tracing."""
        region = facts.regions.of(node)
        if not region or not region.entry or facts.function_of(node) is not None:
            return
        hoist = facts.hoists.numbers(node)
        if not isinstance(hoist, Hoist):
            return
        for site in hoist.baked:
            if facts.regions.left_alone(site):
                continue
            message = f"`{ast.unparse(site)}` is a constant to the graph, and another one for each number given"
            level = Level.PROVED if region.explicit else Level.ASSUMED
            because = "the function is compiled by name" if region.explicit else "the function is taken to be compiled"
            plan = Plan(hoist, not region.explicit)
            yield self.finding(site, facts, message, Evidence(level, because), plan, _safety(plan))

    def cut(self, plan: Plan, bench: Bench) -> Fix | NoFix:
        """Split the function."""
        from ..craft.split import split

        edits = split(plan.hoist, bench)
        if isinstance(edits, NoFix):
            return edits
        conditions = tuple(bench.condition(f.node) for f in plan.hoist.flags if f.boolean)
        return Fix(tuple(edits), _safety(plan), "compute the number before the graph", conditions=conditions)


def _safety(plan: Plan) -> Safety:
    return Safety.UNSAFE if plan.assumed else Safety.SAFE
