"""TR503."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from ..craft.types import Bench
from ..facts import Facts
from ..facts.hoists import Hoist
from ..facts.recorded import compiled_itself, shown_to_vary, varied
from ..facts.thresholds import Threshold, threshold
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
    computed in an eager outer function, and their result is passed into the compiled core. Finds also branches on such
    a number that choose between two tensors, which become a choice within the graph.

    ## Why

    Dynamo takes a number that varies for a variable of the graph, but computes these functions while it traces. Each
    number then compiles the function again, and after the eighth the rest of the calls run eagerly. A branch on the
    number makes a graph for each of its sides.

    ## Example

    ```python
    @torch.compile
    def decayed(x, t: float):
        return x * math.exp(-t / 10)

    def scaled(x, sigma):
        if sigma > 1.0:
            x = x / sigma
        return x
    ```

    ## Use instead

    ```python
    def decayed(x, t: float):
        return _decayed(x, t, t_exp=math.exp(-t / 10))

    @torch.compile
    def _decayed(x, t, *, t_exp):
        return x * t_exp

    def scaled(x, sigma):
        x = _by_number(sigma, lambda sigma: sigma > 1.0, lambda: x / sigma, lambda: x, x)
        return x
    ```

    ## Fix safety

    Safe where the file compiles the function by name: the number is computed by the same expression. Unsafe where that
    is only assumed, as the eager part cuts the graph of a compiled caller, and the number may in truth never change.
    `_by_number` is a plain branch outside of compiled code, and where the two tensors are not alike or take gradients.
    """

    code = "TR503"
    registry = ("GB0039",)
    nodes = (ast.FunctionDef, ast.If)

    def find(self, node: ast.FunctionDef | ast.If, facts: Facts) -> Iterator[Finding]:
        """One finding per function of `math` that is computed while tracing, and per branch on a number."""
        if isinstance(node, ast.If):
            chosen = threshold(node, facts) if facts.masks.within(node) else None
            if isinstance(chosen, Threshold):  # a branch that does more is the caller's to decide
                message = f"each side of `{ast.unparse(node.test)}` is a graph of its own"
                sure = Evidence(Level.ASSUMED, f"`{chosen.number}` is taken to vary")
                yield self.finding(node.test, facts, message, sure, chosen)
            return
        region = facts.regions.of(node)
        if not region or not region.entry or facts.function_of(node) is not None:
            return
        hoist = facts.hoists.numbers(node)
        if not isinstance(hoist, Hoist):
            return
        calls = shown_to_vary(node, facts)
        for site in hoist.baked:
            if facts.regions.left_alone(site) or (calls is not None and not varied(site, calls)):
                continue
            message = f"`{ast.unparse(site)}` is a constant to the graph, and another one for each number given"
            sure = compiled_itself(region, calls)
            plan = Plan(hoist, sure.level is Level.ASSUMED)
            yield self.finding(site, facts, message, sure, plan, _safety(plan))

    def cut(self, plan: Plan | Threshold, bench: Bench) -> Fix | NoFix:
        """Split the function, or make the branch a choice."""
        if isinstance(plan, Threshold):
            from ..craft.thresholds import chosen

            return chosen(plan, bench)
        from ..craft.split import split

        edits = split(plan.hoist, bench)
        if isinstance(edits, NoFix):
            return edits
        conditions = tuple(bench.condition(f.node) for f in plan.hoist.flags if f.boolean)
        return Fix(tuple(edits), _safety(plan), "compute the number before the graph", conditions=conditions)


def _safety(plan: Plan) -> Safety:
    return Safety.UNSAFE if plan.assumed else Safety.SAFE
