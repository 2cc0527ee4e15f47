"""TR303."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..craft.types import Bench
from ..facts import Facts
from ..facts.opaque import Opaque
from ..facts.sinks import Sink, Source
from ..model import Finding, Fix, NoFix
from ..rule import Rule


class OpaqueHelper(Rule):
    """A helper that Dynamo can not trace.

    ## What it does

    Finds calls of functions of the same file that read tensors on the host, write to the outside or ask the machine,
    in code that may run under `torch.compile`. Where the result is unused (a *sink*), the call becomes an op that runs
    the helper in its place in the graph. Where the result is used (a *source*), and the helper would cut the graph more
    than once, it is marked as one that Dynamo leaves alone. A function that makes integer tensors and masks, of shapes
    that do not depend on values, becomes an op with its body as it is; the statements that make the shapes are copied
    into a function beside it.

    ## Why

    Each thing in the helper that can not be traced ends the graph, and the helper's own frame is compiled in pieces;
    in a loop the caller's whole frame is skipped. As an op a sink costs no break at all, as a disabled helper a source
    costs one.

    ## Example

    ```python
    note("reward", reward.mean())
    ```

    ## Use instead

    ```python
    @_effect
    def _note(tag: str, value: torch.Tensor) -> None:
        note(tag, value)

    _note("reward", reward.mean())
    ```

    ## Fix safety

    Outside of compiled code the same helper is called with the same arguments. In compiled code it runs each time, in
    order, with real values.

    Refused: helpers that keep a tensor, change one, or look at its gradient; helpers that change what traced code of
    the file also uses; methods, whose object no op can be given; helpers that raise where a `try` would catch it;
    arguments that are containers, objects or of unknown type.
    """

    code = "TR303"
    registry = ("GB0007", "GB0124")
    nodes = (ast.Expr, ast.FunctionDef)

    def find(self, node: ast.Expr | ast.FunctionDef, facts: Facts) -> Iterator[Finding]:
        """One finding per call of a sink, and per definition of a source."""
        if isinstance(node, ast.FunctionDef):
            source = facts.helpers.source(node) or facts.helpers.opaque(node)
            if source is not None and facts.sinks.imports_torch:
                message = f"`{node.name}` can not be traced"
                yield self.finding(node, facts, message, facts.regions.of(node).evidence, source)
            return
        evidence = facts.sinks.worth(node) if isinstance(node.value, ast.Call) else None
        outcome = facts.helpers.sink(node) if evidence is not None else None
        if outcome is None or evidence is None:
            return
        message = f"`{ast.unparse(node.value.func)}` can not be traced"  # type: ignore[attr-defined]
        yield self.finding(node, facts, message, evidence, outcome)

    def cut(self, plan: Sink | Source | Opaque, bench: Bench) -> Fix | NoFix:
        """Replace the call of a sink by that of its op, or mark a source."""
        from ..craft.opaque import opaque_fix
        from ..craft.sink import disabled, sink_fix

        if isinstance(plan, Opaque):
            return opaque_fix(plan, bench)
        return (
            sink_fix(plan, bench, "run the helper inside the graph")
            if isinstance(plan, Sink)
            else disabled(plan, bench)
        )
