"""TR102."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..craft.types import Bench
from ..facts import Facts
from ..facts.draws import drawn_by
from ..facts.hoists import Hoist
from ..facts.threads import Thread
from ..model import Evidence, Finding, Fix, Level, NoFix, Safety
from ..rule import Rule

Plan = Hoist | tuple[Thread, ...]  # of the whole function, or of the file; their findings share it


class InputCondition(Rule):
    """A host value computed from the inputs alone.

    ## What it does

    Finds conditions on tensors, `.item()`, `.tolist()`, masks and other host values that depend on nothing but the
    inputs of a function that is compiled itself. They are computed once, as Python values, in an eager outer function
    that passes them into the compiled core. All of one function go into one place. Random numbers that Python or numpy
    draws go there too, where all before them do, so that their order stays. Of a tensor whose items a loop reads one by
    one, a list is read once.

    Where such a value is read in a function below (a method, a submodule, a helper of the file), it is handed down by
    keyword along the calls: `lengths_list=None` in each header, and what was there stays for callers that give none.
    `x.repeat_interleave(counts)` is told how long its result gets.

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
    @torch._dynamo.decorators.skip
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
    A list of layers is taken to have one. An error that the graph raises comes after the values are read and numbers
    are drawn. Refused: inputs that are changed before, conditions under which evaluation
    could raise, and more than three flags (each doubles the number of graphs, and Dynamo keeps eight); below the entry
    also calls with unpacked arguments, functions and methods that something else may call or replace, what is computed
    from weights or hidden states on the way, and lists and tensors that one of several readers may change or keep.
    """

    code = "TR102"
    registry = ("GB0170", "GB0124")
    nodes = (ast.FunctionDef,)

    def find(self, node: ast.FunctionDef, facts: Facts) -> Iterator[Finding]:
        """One finding per expression that is read on the host."""
        threads = tuple(facts.threads.all)
        for read, outcome in facts.threads.within(node):
            message = f"`{ast.unparse(read)}` is known to a caller"
            evidence = Evidence(Level.PROVED, "it is computed from what the callers are given")
            yield self.finding(read, facts, message, evidence, threads if isinstance(outcome, Thread) else outcome)
        region = facts.regions.of(node)
        if not region or not region.entry or facts.function_of(node) is not None:
            return
        if any(m.before in node.body for t in threads for m in t.made):
            return  # what is to be handed down moves out together with the rest
        hoist = facts.hoists.of(node)
        for site in hoist.sites if isinstance(hoist, Hoist) else ():
            if facts.regions.left_alone(site):
                continue
            drawn = isinstance(site, ast.Call) and drawn_by(site, facts)
            known = "can be drawn" if drawn else "is known from the inputs"
            message = f"`{ast.unparse(site)}` {known} before the graph starts"
            value = facts.kinds.of(site)
            level = value.level if value.level in (Level.PROVED, Level.ASSUMED) else Level.ASSUMED
            evidence = Evidence(level, value.because or "it is computed from the inputs")
            yield self.finding(site, facts, message, evidence, hoist)

    def cut(self, plan: Plan, bench: Bench) -> Fix | NoFix:
        """Split the function, or hand the values down."""
        from ..craft.split import split
        from ..craft.thread import hand_down

        edits = split(plan, bench) if isinstance(plan, Hoist) else hand_down(plan, bench)
        if isinstance(edits, NoFix):
            return edits
        if isinstance(plan, Hoist):
            tests, summary = [f.node for f in plan.flags if f.boolean], "decide on the inputs before the graph"
        else:
            tests, summary = [t.node for t in plan if t.decides], "read it where it is known, and hand it down"
        return Fix(tuple(edits), Safety.SAFE, summary, conditions=tuple(map(bench.condition, tests)))
