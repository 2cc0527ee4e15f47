"""TR401."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..craft.types import Bench
from ..facts import Facts
from ..facts.loops import Driver, Loop, Unrolling, one_break
from ..facts.repeats import Cure, cured
from ..model import Evidence, Finding, Fix, Level, NoFix, Safety
from ..rule import Rule


class BreakingLoop(Rule):
    """A graph break inside a loop, for which Dynamo skips the whole function.

    ## What it does

    Finds loops and comprehensions in code that may run under `torch.compile` whose body breaks the graph for certain,
    where no other rule has a cure for the break. A loop with a small fixed count and one break is written out. A
    function that is compiled itself runs its loop in Python, and what lies between the breaks is compiled. In any
    other function the loop is moved into a function of its own, and its body into another.

    ## Why

    After a break Dynamo goes on behind the statement that broke, but it cannot go on in the middle of a loop. It gives
    up the frame: nothing of the function is captured, not even what stands before and behind the loop.

    ## Example

    ```python
    def forward(self, x, steps):
        x = self.encode(x).relu()
        for _ in range(steps):
            x = self.refine(x) + x
            if float(x.norm()) > self.limit:
                break
        return self.decode(x)
    ```

    ## Use instead

    ```python
    @torch._dynamo.decorators.skip
    def forward(self, x, steps):
        x = self._loop_start(x)
        for _ in range(steps):
            x = self._loop_step(x)
            if float(x.norm()) > self.limit:
                break
        return self.decode(x)

    def _loop_start(self, x):
        return self.encode(x).relu()

    def _loop_step(self, x):
        return self.refine(x) + x
    ```

    ## Fix safety

    The same statements run in the same order on the same values; each new function costs a Python call per trip. It is
    safe where no break, or one, comes in the place of the skipped frame. Where several stay, whether what is captured
    outweighs them shows only when it is run: such a fix needs a verified run, or `--unsafe-fixes`.

    Written out are loops over `range` of literals and module constants, literal tuples and lists, and `enumerate`,
    `zip`, `reversed` of these, up to `max-unroll` trips and `max-unrolled-lines` lines; and over an `nn.ModuleList`
    that `__init__` builds from literals, with leave, as layers that are added from outside would not be run.

    Refused: a `return` or `break` that would cross the border of a function, names that may be unbound or are shared
    with nested functions, and Python state (a list, a counter) that changes with each trip, or an inner loop over
    numbers that are read out of a tensor, as Dynamo would compile the body again for each value.
    """

    code = "TR401"
    registry = ("GB7000",)
    nodes = (ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.FunctionDef)

    def find(self, node: Loop | ast.expr | ast.FunctionDef, facts: Facts) -> Iterator[Finding]:
        """One finding per loop with a break that stays."""
        function = node if isinstance(node, ast.FunctionDef) else facts.function_of(node)
        if function is None or not facts.regions.of(function) or facts.regions.left_alone(node):
            return
        stays, outcome = cured(node, facts)
        if outcome is None:
            return
        message = f"{stays[0].what} in a loop, for which the whole of `{function.name}` is skipped"
        if isinstance(node, ast.FunctionDef):
            message = f"{stays[0].what}, in each trip of a loop that runs in Python"
        evidence = Evidence(Level.ASSUMED, "what is captured is taken to outweigh the breaks that stay")
        if one_break(outcome, facts):
            evidence = Evidence(Level.PROVED, "at most one break comes in the place of a skipped frame")
        place = node.iter if isinstance(node, ast.For) else node.test if isinstance(node, ast.While) else node
        yield self.finding(place, facts, message, evidence, outcome, _safety(outcome, facts))

    def cut(self, plan: Cure, bench: Bench) -> Fix | NoFix:
        """Write the loop out, or take it apart."""
        from ..craft.driver import drive
        from ..craft.loop import extract, unroll

        if isinstance(plan, Driver):
            edits, summary = drive(plan, bench), "run the loop in Python, and compile its parts"
        elif isinstance(plan, Unrolling):
            edits, summary = unroll(plan, bench), "write the loop out"
        else:
            edits, summary = extract(plan, bench), "give loop and body frames of their own"
        if isinstance(edits, NoFix):
            return edits
        return Fix(tuple(edits), _safety(plan, bench.facts), summary, changes=plan.changes)


def _safety(outcome: Cure | NoFix, facts: Facts) -> Safety:
    return Safety.SAFE if one_break(outcome, facts) else Safety.UNSAFE
