"""TR502."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from ..craft.types import Bench
from ..facts import Facts
from ..facts.counters import KEEPING
from ..facts.hoists import Hoist
from ..model import Evidence, Finding, Fix, Level, NoFix, Safety
from ..rule import Rule


@dataclass(frozen=True, slots=True)
class Plan:
    """The split of the whole entry; the findings of one function share it."""

    hoist: Hoist


class CounterAttribute(Rule):
    """A number on the instance that changes with every call.

    ## What it does

    Finds attributes that `__init__` sets to a Python number and a compiled entry counts on (`self.calls += 1`). The
    counting moves into an eager outer function, before or after the compiled core; what the core needs of the number is
    passed in.

    ## Why

    Dynamo takes an int on a module for a constant: each new value compiles the function again, and after the eighth the
    rest of the calls run eagerly. It does so even where the number is never read.

    ## Example

    ```python
    def forward(self, x):
        self.calls += 1
        return self.linear(x)
    ```

    ## Use instead

    ```python
    @torch._dynamo.decorators.skip
    def forward(self, x):
        self.calls += 1
        return self._forward(x)

    def _forward(self, x):
        return self.linear(x)
    ```

    ## Fix safety

    Safe: the attribute stays a Python number with the same values. Submodules are taken not to reach back into the
    module that owns them. The fix is unsafe where the counting stands between operations that may raise: after a call
    that raises, the number then differs.

    Refused in a function that other compiled code of the file calls (the outer part would cut its caller's graph),
    where the number changes together with tensors in one statement, between computations that need its old and its new
    value, and where it is used out of sight, in methods that run in the graph or by code that is handed the instance.
    """

    code = "TR502"
    registry = ("GB0039",)
    nodes = (ast.FunctionDef,)

    def find(self, node: ast.FunctionDef, facts: Facts) -> Iterator[Finding]:
        """One finding per statement that counts."""
        region = facts.regions.of(node)
        if not region or facts.function_of(node) is not None:
            return
        sites = [s for s in facts.counters.sites(node) if not facts.regions.left_alone(s)]
        if not sites:
            return
        outcome = self._plan(node, facts)
        unsafe = isinstance(outcome, Plan) and bool(outcome.hoist.changes)
        for site in sites:
            target = site.targets[0] if isinstance(site, ast.Assign) else site.target
            message = f"`{ast.unparse(target)}` is another number in every call, and a constant to the graph"
            evidence = Evidence(Level.PROVED, "`__init__` sets it to a Python number")
            yield self.finding(site, facts, message, evidence, outcome, Safety.UNSAFE if unsafe else Safety.SAFE)

    def _plan(self, node: ast.FunctionDef, facts: Facts) -> Plan | NoFix:
        if not facts.regions.of(node).entry:
            return NoFix("compiled code of the file calls this function, whose graph an eager part would cut", KEEPING)
        counting = facts.counters.of(node)
        assert counting is not None
        if isinstance(counting, NoFix):
            return counting
        hoist = facts.hoists.counting(node, counting)
        if isinstance(hoist, Hoist) and not {*counting.before, *counting.after} <= {*hoist.prologue, *hoist.epilogue}:
            return NoFix("other values that the function decides on cannot leave the graph with it", KEEPING)
        return (
            Plan(hoist)
            if isinstance(hoist, Hoist)
            else hoist or NoFix("it is not the compiled function itself", KEEPING)
        )

    def cut(self, plan: Plan, bench: Bench) -> Fix | NoFix:
        """Split the function."""
        from ..craft.split import split

        edits = split(plan.hoist, bench)
        if isinstance(edits, NoFix):
            return edits
        conditions = tuple(bench.condition(f.node) for f in plan.hoist.flags if f.boolean)
        safety = Safety.UNSAFE if plan.hoist.changes else Safety.SAFE
        return Fix(tuple(edits), safety, "count outside the graph", changes=plan.hoist.changes, conditions=conditions)
