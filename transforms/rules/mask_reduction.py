"""TR204."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..craft.types import Bench
from ..facts import Facts
from ..facts.losses import Loss, masked_loss
from ..facts.masks import Picked, Reduction
from ..model import Evidence, Finding, Fix, Level, NoFix, Safety
from ..rule import Rule


class MaskReduction(Rule):
    """What a mask selects is only reduced.

    ## What it does

    Finds `x[mask].sum()`, `.mean()`, `.max()`, `.min()`, `.any()` and `.all()`, also of elementwise computation on what
    is selected, the cross entropy of what is selected, comparisons of `x[mask].numel()`, and tests whether anything is
    selected, in code that may run under `torch.compile`.

    ## Why

    How many elements a mask selects is only known when it runs, so Dynamo ends the graph at the selection. A reduction
    over all elements, those not selected being neutral, needs no selection.

    ## Example

    ```python
    picked = image[image > threshold]
    if picked.numel() == 0:
        return image.new_zeros(())
    return picked.mean()
    ```

    ## Use instead

    ```python
    picked_mask = image > threshold
    if torch.compiler.is_compiling():
        return _masked_mean_or(lambda: image.new_zeros(()), picked_mask, image)
    picked = image[picked_mask]
    if picked.numel() == 0:
        return image.new_zeros(())
    return picked.mean()
    ```

    ## Fix safety

    Outside of compiled code the helper selects and reduces as before, so results are equal to the last bit; compiled
    sums are added up in another order. The fix is unsafe for `max` and `min` that nothing keeps from an empty selection
    (compiled, they are infinite there instead of raising), and where a mask is not known to have the tensor's shape but
    is asked whether it selects anything.

    Refused: reductions along a dimension, what is computed row by row, several reductions that share one selection, and
    selections that are read in any other way.
    """

    code = "TR204"
    registry = ("GB0036",)
    nodes = (ast.Call, ast.Assign)

    def find(self, node: ast.Call | ast.Assign, facts: Facts) -> Iterator[Finding]:
        """One finding per reduction, or per selection that is tested as well."""
        if not facts.masks.within(node):
            return
        if isinstance(node, ast.Assign):
            picked = facts.masks.picked(node)
            if picked is not None:
                changes = picked.changes if isinstance(picked, Picked) else ()
                yield self._finding(node, facts, facts.masks.is_mask(node.value.slice), picked, changes)  # type: ignore[attr-defined]
            return
        loss = masked_loss(node, facts)
        if loss is not None:
            mask = facts.masks.is_mask(loss.mask) if isinstance(loss, Loss) else None
            yield self._finding(node, facts, mask, loss, ())
        reduction = facts.masks.reduction(node)
        if reduction is not None:
            changes = facts.masks.changes(reduction) if isinstance(reduction, Reduction) else ()
            mask = facts.masks.is_mask(reduction.mask) if isinstance(reduction, Reduction) else None
            yield self._finding(node, facts, mask, reduction, changes)

    def _finding(
        self, node: ast.AST, facts: Facts, mask: Evidence | None, outcome: object, changes: tuple[str, ...]
    ) -> Finding:
        evidence = mask or Evidence(Level.ASSUMED, "its index is named like a mask")
        message = f"`{ast.unparse(node)}` selects by a mask"
        return self.finding(node, facts, message, evidence, outcome, Safety.UNSAFE if changes else Safety.SAFE)

    def cut(self, plan: Picked | Reduction | Loss, bench: Bench) -> Fix | NoFix:
        """Replace the reduction, or the selection and its readers."""
        from ..craft.masked import loss_fix, picked_fix, reduction_fix

        if isinstance(plan, Loss):
            return loss_fix(plan, bench)
        if isinstance(plan, Picked):
            return picked_fix(plan, bench)
        return reduction_fix(plan, bench, bench.facts.masks.changes(plan))
