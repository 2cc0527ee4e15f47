"""TR901."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..craft.types import Bench
from ..facts import Facts
from ..facts.breaks import WORKAROUNDS
from ..model import Finding, NoFix
from ..rule import Rule

# They are about a loop, a block or a recompile: what breaks within is not named by them.
ELSEWHERE = WORKAROUNDS | {"TR501", "TR502", "TR503"}


class GraphBreak(Rule):
    """A place that ends the graph, and that no rule rewrites.

    ## What it does

    Finds what no other rule names, in code that may run under `torch.compile`: branches on the values of tensors,
    numbers read out of them, results whose size depends on values, random numbers of Python, progress bars, imports,
    sorting by tensors, and calls that Dynamo does not trace.

    ## Why

    A report that names only what can be rewritten hides why the graph is still cut. Each finding says what is in the
    way, and what can be done that is no rewrite: a flag to set, a place to move the code to.

    ## Example

    ```python
    kept = boxes[scores > 0.5].tolist()
    ```

    ## Use instead

    Whatever the finding advises. There is nothing that keeps the behaviour and that a tool could write.

    ## Fix safety

    There is no fix.
    """

    code = "TR901"
    registry = ("GB0007", "GB0036", "GB0059", "GB0124", "GB0170")
    nodes = (ast.FunctionDef, ast.AsyncFunctionDef)
    last = True
    anywhere = True

    def find(self, node: ast.FunctionDef | ast.AsyncFunctionDef, facts: Facts) -> Iterator[Finding]:
        """One finding per statement that breaks the graph and that no other rule names."""
        for site in facts.sites.unnamed(node, facts.found, ELSEWHERE):
            yield self.finding(site.at, facts, site.what, site.evidence, site.refusal, registry=site.kind.registry)

    def cut(self, plan: NoFix, _bench: Bench) -> NoFix:
        """The reason that its finding gives."""
        return plan
