"""TR203."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..craft.types import Bench
from ..facts import Facts
from ..facts.masks import Update
from ..model import Finding, Fix, NoFix
from ..rule import Rule


class MaskUpdate(Rule):
    """Elements that a mask selects are computed from such elements, and put back.

    ## What it does

    Finds `y[mask] = f(x[mask])` and `y[mask] += c` in code that may run under `torch.compile`, where `f` works element
    by element, or row by row as linear layers and activations do, and puts them into one call.

    ## Why

    How many elements a mask selects is only known when it runs: Dynamo ends the graph there, or, with capture of
    dynamic output shapes, makes sizes that it knows nothing about. Over all elements the same is one fused kernel.

    ## Example

    ```python
    mask = (y2 > y1) & (x2 > x1)
    inter[mask] = (x2[mask] - x1[mask]) * (y2[mask] - y1[mask])
    ```

    ## Use instead

    ```python
    mask = (y2 > y1) & (x2 > x1)
    _masked_update(inter, mask, lambda x2, x1, y2, y1: (x2 - x1) * (y2 - y1), x2, x1, y2, y1)
    ```

    While compiling, the helper computes on all elements and puts the result in place with `torch.where`; elements that
    are not selected get a constant first, so that they leave no NaN in any gradient.

    ## Fix safety

    Outside of compiled code the same elements are selected, computed and put back as before. An index that is no mask,
    or tensors whose shapes or dtypes do not fit, take that way in compiled code too.

    Refused: functions that reduce, sort or draw over what is selected, such as batch normalisation or dropout; values
    whose size may hang on how much is selected; layers in a loop, where computing all rows each time costs more than
    the cut.
    """

    code = "TR203"
    registry = ("GB0036",)
    nodes = (ast.Assign, ast.AugAssign)

    def find(self, node: ast.Assign | ast.AugAssign, facts: Facts) -> Iterator[Finding]:
        """One finding per update."""
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        target = target.elts[0] if isinstance(target, ast.Tuple) and target.elts else target
        if not isinstance(target, ast.Subscript) or not facts.masks.within(node):
            return
        outcome = facts.masks.update(node)
        evidence = facts.masks.is_mask(target.slice)
        if outcome is not None and evidence is not None:
            yield self.finding(node, facts, f"`{ast.unparse(target)}` is updated by a mask", evidence, outcome)

    def cut(self, plan: Update, bench: Bench) -> Fix | NoFix:
        """Replace the update by one call."""
        from ..craft.masked import update_fix

        return update_fix(plan, bench)
