"""TR401."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..craft.types import Bench
from ..facts import Facts
from ..facts.flow import walk_scope
from ..facts.loops import Extraction, Loop, Unrolling, first_values, study
from ..model import Evidence, Finding, Fix, Level, NoFix, Safety
from ..rule import Rule

Plan = Unrolling | Extraction


class BreakingLoop(Rule):
    """A graph break inside a loop, for which Dynamo skips the whole function.

    ## What it does

    Finds `for` and `while` loops in code that may run under `torch.compile` whose body breaks the graph for certain,
    where no other rule has a cure for the break. A loop with a small fixed count is written out; any other is moved
    into a function of its own, and its body into another.

    ## Why

    After a break Dynamo goes on behind the statement that broke, but it cannot go on in the middle of a loop. It gives
    up the frame: nothing of the function is captured, not even what stands before and behind the loop. In straight
    code only the break itself is lost. Where the loop stays, the function around it is captured up to the call and
    from there on, and the body is compiled as a frame of its own, once for all trips.

    ## Example

    ```python
    def forward(self, x, steps):
        x = self.encode(x)
        for scale in (0.5, 0.25):
            x = x * scale
            self.meter.update(float(x.mean()))
        for _ in range(steps):
            x = self.refine(x)
            self.meter.update(float(x.mean()))
        return self.decode(x)
    ```

    ## Use instead

    ```python
    def forward(self, x, steps):
        x = self.encode(x)
        x = x * 0.5
        self.meter.update(float(x.mean()))
        x = x * 0.25
        self.meter.update(float(x.mean()))
        x = self._run_loop(steps, x)
        return self.decode(x)

    def _run_loop(self, steps, x):
        for _ in range(steps):
            x = self._loop_step(x)
        return x

    def _loop_step(self, x):
        x = self.refine(x)
        self.meter.update(float(x.mean()))
        return x
    ```

    ## Fix safety

    Safe: the same statements run in the same order on the same values. Extraction costs a Python call per trip.

    Written out are loops over `range` of literals and module constants, literal tuples and lists, and `enumerate`,
    `zip`, `reversed` of these, up to `max-unroll` trips and `max-unrolled-lines` lines. A loop over an `nn.ModuleList`
    that `__init__` builds from literals is taken apart where it can be; written out it is unsafe, as layers that are
    added from outside would not be run.

    Refused: a `return` or `break` that would cross the border of a function, names that may be unbound or are shared
    with nested functions, and Python state (a list, a counter) that changes with each trip, as Dynamo would compile
    the body again for each value.
    """

    code = "TR401"
    registry = ("GB0296", "GB0059")
    nodes = (ast.For, ast.While)

    def find(self, node: Loop, facts: Facts) -> Iterator[Finding]:
        """One finding per loop with a break that stays."""
        function = facts.function_of(node)
        if function is None or not facts.regions.of(function) or facts.regions.left_alone(node):
            return
        stays = facts.breaks.remaining(_evaluated(node), first_values(node, facts))
        if not stays:
            return
        outcome = self._plan(node, facts)
        if outcome is not None:
            message = f"{stays[0].what} in a loop, for which the whole of `{function.name}` is skipped"
            evidence = Evidence(Level.PROVED, "Dynamo does not go on in the middle of a loop")
            place = node.iter if isinstance(node, ast.For) else node.test
            yield self.finding(place, facts, message, evidence, outcome, _safety(outcome))

    def _plan(self, loop: Loop, facts: Facts) -> Plan | NoFix | None:
        for inner in walk_scope(*loop.body):
            if isinstance(inner, (ast.For, ast.While)) and facts.breaks.remaining(
                _evaluated(inner), first_values(inner, facts)
            ):
                cure = study(inner, facts)
                if cure is not None:
                    reason = cure.reason if isinstance(cure, NoFix) else "it comes first"
                    return NoFix(f"the loop inside it on line {inner.lineno} breaks as well: {reason}")
        first = next(iter(facts.breaks.cures(loop, certain=True)), None)
        cure = study(loop, facts)
        return (
            NoFix(f"{first.code} has a fix in it, which comes first")
            if first is not None and cure is not None
            else cure
        )

    def cut(self, plan: Plan, bench: Bench) -> Fix | NoFix:
        """Write the loop out, or take it apart."""
        from ..craft.loop import extract, unroll

        edits = unroll(plan, bench) if isinstance(plan, Unrolling) else extract(plan, bench)
        if isinstance(edits, NoFix):
            return edits
        summary = (
            "write the loop out" if isinstance(plan, Unrolling) else "give the loop and its body frames of their own"
        )
        return Fix(edits=tuple(edits), safety=_safety(plan), summary=summary, changes=_changes(plan))


def _changes(plan: Plan | NoFix) -> tuple[str, ...]:
    return plan.changes if isinstance(plan, Unrolling) else ()


def _safety(plan: Plan | NoFix) -> Safety:
    return Safety.UNSAFE if _changes(plan) else Safety.SAFE


def _evaluated(loop: Loop) -> list[ast.AST]:
    """What each trip evaluates."""
    return [*([loop.test] if isinstance(loop, ast.While) else []), *loop.body]
