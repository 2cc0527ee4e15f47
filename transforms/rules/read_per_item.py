"""TR205."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..craft.types import Bench
from ..facts import Facts
from ..facts.reads import EachRead, TogetherRead, each_read, repeated, together_read
from ..model import Evidence, Finding, Fix, Level, NoFix
from ..rule import Rule


class ReadPerItem(Rule):
    """Numbers are read out of several tensors, one by one.

    ## What it does

    Finds generators that call `.item()` on each element, and statements that call it on several tensors, in code that
    may run under `torch.compile`, and reads all of them by one helper that Dynamo leaves alone.

    ## Why

    Each read ends the graph. In a generator the whole function is skipped. A list or a dict that is made of reads costs
    one break as it is.

    ## Example

    ```python
    total = sum(loss.item() for loss in losses)
    return {"loss": loss.item(), "accuracy": accuracy.item()}
    ```

    ## Use instead

    ```python
    total = sum(_items(losses))
    loss_item, accuracy_item = _items([loss, accuracy])
    return {"loss": loss_item, "accuracy": accuracy_item}
    ```

    ## Fix safety

    Safe: the same reads happen in the same order, and nothing that they could meet on the way is moved. Refused where
    an element is used in another way than by `.item()`, where the generator has conditions or effects, and where
    something that may change a tensor runs between the reads. Loops are left alone, those around calls too: there one
    break is enough for the frame to be skipped.
    """

    code = "TR205"
    registry = ("GB0124",)
    nodes = (ast.GeneratorExp, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return, ast.Expr)

    def find(self, node: ast.expr | ast.stmt, facts: Facts) -> Iterator[Finding]:
        """One finding per generator or statement."""
        if not facts.masks.within(node) or repeated(node, facts):
            return
        outcome: EachRead | TogetherRead | NoFix | None
        if isinstance(node, ast.GeneratorExp):
            outcome = each_read(node, facts)
        else:
            assert isinstance(node, ast.stmt)
            outcome = together_read(node, facts)
        if outcome is not None:
            evidence = Evidence(Level.ASSUMED, "`.item()` is called on it")
            yield self.finding(node, facts, "numbers are read out of tensors one by one", evidence, outcome)

    def cut(self, plan: EachRead | TogetherRead, bench: Bench) -> Fix | NoFix:
        """Read them by one call."""
        from ..craft.reads import each_fix, together_fix

        return each_fix(plan, bench) if isinstance(plan, EachRead) else together_fix(plan, bench)
