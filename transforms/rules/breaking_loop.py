"""TR401."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..craft.types import Bench
from ..facts import Facts
from ..facts.loops import Extraction, Loop, Unrolling, cure, evaluated, first_values, one_break
from ..model import Evidence, Finding, Fix, Level, NoFix, Safety
from ..rule import Rule


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
        x = self._run_loop(x, steps)
        return self.decode(x)

    def _run_loop(self, x, steps):
        for _ in range(steps):
            x = self._loop_step(x)
        return x

    def _loop_step(self, x):
        x = self.refine(x)
        self.meter.update(float(x.mean()))
        return x
    ```

    ## Fix safety

    The same statements run in the same order on the same values; extraction costs a Python call per trip. It is safe
    where one break comes in the place of the skipped frame. Where several stay, whether what is captured outweighs
    them shows only when it is run: such a fix needs a verified run, which drops it where nothing is gained, or
    `--unsafe-fixes`.

    Written out are loops over `range` of literals and module constants, literal tuples and lists, and `enumerate`,
    `zip`, `reversed` of these, up to `max-unroll` trips and `max-unrolled-lines` lines. A loop over an `nn.ModuleList`
    that `__init__` builds from literals is taken apart where it can be; written out, layers that are added from outside
    would not be run.

    Refused: a `return` or `break` that would cross the border of a function, names that may be unbound or are shared
    with nested functions, and Python state (a list, a counter) that changes with each trip, as Dynamo would compile
    the body again for each value.
    """

    code = "TR401"
    registry = ("GB7000",)
    nodes = (ast.For, ast.While)

    def find(self, node: Loop, facts: Facts) -> Iterator[Finding]:
        """One finding per loop with a break that stays."""
        function = facts.function_of(node)
        if function is None or not facts.regions.of(function) or facts.regions.left_alone(node):
            return
        stays = facts.breaks.remaining(evaluated(node), first_values(node, facts))
        outcome = cure(node, facts) if stays else None
        if outcome is not None:
            message = f"{stays[0].what} in a loop, for which the whole of `{function.name}` is skipped"
            evidence = Evidence(Level.ASSUMED, "what is captured is taken to outweigh the breaks that stay")
            if one_break(outcome, facts):
                evidence = Evidence(Level.PROVED, "one break comes in the place of a skipped frame")
            place = node.iter if isinstance(node, ast.For) else node.test
            yield self.finding(place, facts, message, evidence, outcome, _safety(outcome, facts))

    def cut(self, plan: Unrolling | Extraction, bench: Bench) -> Fix | NoFix:
        """Write the loop out, or take it apart."""
        from ..craft.loop import extract, unroll

        edits = unroll(plan, bench) if isinstance(plan, Unrolling) else extract(plan, bench)
        if isinstance(edits, NoFix):
            return edits
        summary = "write the loop out" if isinstance(plan, Unrolling) else "give loop and body frames of their own"
        return Fix(tuple(edits), _safety(plan, bench.facts), summary, changes=plan.changes)


def _safety(outcome: Unrolling | Extraction | NoFix, facts: Facts) -> Safety:
    return Safety.SAFE if one_break(outcome, facts) else Safety.UNSAFE
