"""TR105."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..craft.types import Bench
from ..facts import Facts
from ..facts.clocks import Clock
from ..facts.driving import Driver
from ..facts.exits import exit_of
from ..facts.predicates import holds_tensor
from ..model import Evidence, Finding, Fix, NoFix, Safety
from ..rule import Rule


class TensorLoopExit(Rule):
    """A loop that ends when a tensor says so.

    ## What it does

    Finds `while` loops whose condition is a tensor, and loops that a branch on a tensor leaves by `break` or `return`,
    in code that may run under `torch.compile`. Where the condition follows from Python numbers alone, such as a time
    that runs down in steps, its trips are counted while tracing. In any other function that is compiled itself,
    the loop stays in Python and its body is compiled.

    ## Why

    How often the loop runs depends on values that only running it gives. Dynamo cuts the graph at each trip, or skips
    the whole function where the exit stands in the loop's body.

    ## Example

    ```python
    class Sampler(nn.Module):
        def forward(self, x):
            dt = torch.tensor(-1.0 / self.steps)
            time = torch.tensor(1.0)
            while time >= -dt / 2:
                x = x + dt * self.velocity(x, time)
                time = time + dt
            return x

    class Relaxation(nn.Module):
        def forward(self, x):
            while x.abs().max() > self.limit:
                x = self.smooth(x) * 0.5
            return x
    ```

    ## Use instead

    ```python
    @torch.compiler.assume_constant_result
    def _forward_trips(steps):
        dt = torch.tensor(-1.0 / steps)
        time = torch.tensor(1.0)
        count = 0
        while time >= -dt / 2:
            count += 1
            time = time + dt
        return range(count)

    class Sampler(nn.Module):
        def forward(self, x):
            dt = torch.tensor(-1.0 / self.steps)
            time = torch.tensor(1.0)
            trips_left = len(_forward_trips(self.steps)) if torch.compiler.is_compiling() else None
            while time >= -dt / 2 if trips_left is None else (trips_left := trips_left - 1) >= 0:
                x = x + dt * self.velocity(x, time)
                time = time + dt
            return x

    class Relaxation(nn.Module):
        @torch._dynamo.decorators.skip
        def forward(self, x):
            while x.abs().max() > self.limit:
                x = self._loop_step(x)
            return x

        def _loop_step(self, x):
            return self.smooth(x) * 0.5
    ```

    ## Fix safety

    Safe: eager code runs the same statements in the same order, and the trips are counted by the same arithmetic.
    Computing all trips and keeping what the exit leaves (a mask of what is done) would run code that never ran; where
    that is meant, and the number of trips is small, write it by hand.

    Refused where compiled code of the file calls the function, whose graph an eager part would cut.
    """

    code = "TR105"
    registry = ("GB0170",)
    nodes = (ast.While, ast.If)

    def find(self, node: ast.While | ast.If, facts: Facts) -> Iterator[Finding]:
        """One finding per condition that may end a loop."""
        outcome = exit_of(node, facts) if holds_tensor(node.test, facts) else None
        if outcome is not None and not facts.hoists.covers(node.test):
            evidence = Evidence(facts.kinds.of(node.test).level, "it is computed from tensors")
            message = f"`{ast.unparse(node.test)}` ends a loop by the value of a tensor"
            yield self.finding(node.test, facts, message, evidence, outcome)

    def cut(self, plan: Clock | Driver, bench: Bench) -> Fix | NoFix:
        """Count the trips while tracing, or run the loop in Python."""
        from ..craft.clock import known_ahead
        from ..craft.driver import drive

        if isinstance(plan, Clock):
            return known_ahead(plan, bench)
        edits = drive(plan, bench)
        return edits if isinstance(edits, NoFix) else Fix(tuple(edits), Safety.SAFE, "run the loop in Python")
