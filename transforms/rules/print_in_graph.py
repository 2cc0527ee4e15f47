"""TR302."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..craft.types import Bench
from ..facts import Facts
from ..facts.bars import Bar, bar
from ..facts.sinks import Sink
from ..model import Evidence, Finding, Fix, Level, NoFix, Safety
from ..rule import Rule


class PrintInGraph(Rule):
    """A `print` or a progress bar in compiled code.

    ## What it does

    Finds calls of `print` in code that may run under `torch.compile`, also under a condition on a tensor, and moves
    each into an op of its own that runs in its place in the graph. Loops over `tqdm(…)` run over the bare values there.

    ## Why

    Dynamo does not trace `print`: the call ends the graph and starts a new one, reading a number out of a tensor for it
    does so again, and in a loop the whole frame is skipped.

    ## Example

    ```python
    print("hidden", tuple(hidden.shape), f"max={hidden.max().item():.3f}")
    ```

    ## Use instead

    ```python
    @_effect
    def _print_hidden(hidden_shape: list[int], hidden_max: torch.Tensor) -> None:
        print("hidden", tuple(hidden_shape), f"max={hidden_max.item():.3f}")

    _print_hidden(hidden.shape, hidden.max())
    ```

    ## Fix safety

    Outside of compiled code the same call is made with the same arguments. In compiled code the same text appears, each
    time and in order. The fix is unsafe where a whole tensor is printed that layers may have computed: in training its
    text names a `grad_fn`, which compiled code does not show. So it is for a progress bar, which is then left out.

    Refused: arguments that the op can not be given (containers, objects, values of unknown type), and `file=` other
    than a standard stream.
    """

    code = "TR302"
    registry = ("GB0059", "GB0296")
    nodes = (ast.Expr, ast.If, ast.For)

    def find(self, node: ast.Expr | ast.If | ast.For, facts: Facts) -> Iterator[Finding]:
        """One finding per `print`, per `if` around them, and per progress bar of a loop."""
        sinks = facts.sinks
        if isinstance(node, ast.For):
            shown = bar(node, facts) if facts.masks.within(node) else None
            if shown is not None:
                sure = Evidence(Level.PROVED, "")
                yield self.finding(
                    node.iter, facts, "a progress bar ends the graph", sure, shown, Safety.UNSAFE, ("GB0007",)
                )
            return
        if isinstance(node, ast.If):
            kinds = sinks.conditional(node) or [""]
        else:
            kinds = [sinks.kind(node.value) or ""] if isinstance(node.value, ast.Call) else [""]
        if kinds[0] != "print" or sinks.covered(node):
            return
        evidence = sinks.worth(node)
        if evidence is None:
            return
        outcome = sinks.output(node)
        unsafe = isinstance(outcome, Sink) and outcome.changes
        yield self.finding(
            node, facts, "`print` ends the graph", evidence, outcome, Safety.UNSAFE if unsafe else Safety.SAFE
        )

    def cut(self, plan: Sink | Bar, bench: Bench) -> Fix | NoFix:
        """Replace the statement by the call of its op, or leave the bar out while compiling."""
        if isinstance(plan, Bar):
            given = ", ".join(map(bench.source.code, plan.call.args))
            bare = f"range({given})" if plan.iterated is None else bench.operand(plan.iterated)
            test = f"{bench.torch(plan.call)}.compiler.is_compiling()"
            edit = bench.swap(plan.call, f"{bare} if {test} else {bench.source.code(plan.call)}")
            changes = ("output: compiled code shows no progress bar",)
            return Fix((edit,), Safety.UNSAFE, "show no progress bar in compiled code", changes=changes)
        from ..craft.sink import sink_fix

        return sink_fix(plan, bench, "print from inside the graph")
