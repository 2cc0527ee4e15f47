"""TR501."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from ..craft.types import Bench
from ..facts import Facts
from ..facts.driving import Driver
from ..facts.lengths import Lengths, varying
from ..facts.recurrences import recurrence
from ..model import Evidence, Finding, Fix, Level, NoFix, Safety
from ..rule import Rule


@dataclass(frozen=True, slots=True)
class Plan:
    """The inputs to mark, and the statement above which that is done."""

    lengths: Lengths


class VaryingShape(Rule):
    """A size that changes from call to call.

    ## What it does

    Finds entries that hand sequences of tokens to a compiled core, where the core counts positions by their length or
    holds it against a limit. The eager outer part then says that the length varies. Finds also loops over the length of
    an input that carry a state from step to step; in a function that is compiled itself they run in Python, and each
    step is compiled.

    ## Why

    Dynamo compiles for the sizes of the first call, and once more when it sees others. Each flag or branch doubles
    that. Told before, it compiles once for all lengths. Inside of compiled code the hint is an error.

    ## Example

    ```python
    @torch._dynamo.decorators.skip
    def forward(self, ids, mask):
        return self._forward(ids, mask, mask_all=bool(mask.all()))
    ```

    ## Use instead

    ```python
    @torch._dynamo.decorators.skip
    def forward(self, ids, mask):
        _varying(1, ids, mask)
        return self._forward(ids, mask, mask_all=bool(mask.all()))
    ```

    ## Fix safety

    Safe: the hint (`torch._dynamo.maybe_mark_dynamic`) is kept beside the tensor for the compiler alone, and is without
    effect on code that needs one fixed size. A graph for all lengths can be a little slower than one for one length.
    """

    code = "TR501"
    registry = ("GB0039",)
    nodes = (ast.FunctionDef, ast.For)
    anywhere = True

    def find(self, node: ast.FunctionDef | ast.For, facts: Facts) -> Iterator[Finding]:
        """One finding per outer function, at the parameter that holds the tokens, and per loop over a length."""
        if isinstance(node, ast.For):
            counted = recurrence(node, facts) if facts.masks.within(node) else None
            if counted is not None:
                message = f"the loop is unrolled into the graph, and again for each length of `{counted[0]}`"
                sure = Evidence(Level.ASSUMED, f"the length of `{counted[0]}` is taken to vary")
                yield self.finding(node.iter, facts, message, sure, counted[1])
            return
        found = varying(node, facts)
        if found is None:
            return
        name = found.inputs[0][1][0]
        place = next(a for a in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs] if a.arg == name)
        if found.read is not None:
            evidence = Evidence(Level.PROVED, f"`{ast.unparse(found.read)}` is read to count positions")
        else:
            evidence = Evidence(Level.OBSERVED, f"it did so in {found.calls} recorded calls")
        yield self.finding(place, facts, f"the length of `{name}` changes from call to call", evidence, Plan(found))

    def cut(self, plan: Plan | Driver, bench: Bench) -> Fix | NoFix:
        """Say it above the call of the core, or run the loop in Python."""
        if isinstance(plan, Driver):
            from ..craft.driver import drive

            edits = drive(plan, bench)
            summary = "run the loop in Python, and compile its parts"
            return edits if isinstance(edits, NoFix) else Fix(tuple(edits), Safety.SAFE, summary)
        statement = plan.lengths.call
        if not bench.alone([statement]):
            return NoFix("the call of the core shares its line with another statement")
        mark = bench.helper("_varying")
        margin = bench.margin(statement)
        lines = [f"{margin}{mark}({axis}, {', '.join(names)})" for axis, names in plan.lengths.inputs]
        edit = bench.insert_before(statement, bench.source.newline.join(lines))
        return Fix((edit,), Safety.SAFE, "tell the compiler which length varies")
