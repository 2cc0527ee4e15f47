"""Calls of the helpers by which this tool itself has put what masks select, or numbers, into a graph."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..craft.helpers import is_helper
from ..craft.mask_helpers import MASK_HELPERS

if TYPE_CHECKING:
    from . import Facts


@dataclass(frozen=True, slots=True)
class Selected:
    """A call of such a helper.

    Attributes:
        reduction: "sum", "mean", …; None for an update.
        function: what is computed from what is selected, None for nothing.
        operands: what is selected from.
    """

    reduction: str | None
    function: ast.expr | None
    operands: tuple[ast.expr, ...]

    def binding(self) -> dict[str, ast.expr]:
        """The operands by the names of the lambda's parameters."""
        if not isinstance(self.function, ast.Lambda):
            return {}
        return {a.arg: x for a, x in zip(self.function.args.args, self.operands, strict=False)}


def selected_by(call: ast.Call, facts: Facts) -> Selected | None:
    """The call taken apart, None for any other call."""
    function = _called(call, facts)
    base = next((b for b in MASK_HELPERS if function is not None and is_helper(function, b)), None)
    if base is None or len(call.args) < 2:
        return None
    if base.endswith("_update"):
        return Selected(None, call.args[2], tuple(call.args[3:])) if len(call.args) > 3 else None
    if base == "_masked_cross_entropy":
        return Selected("cross_entropy", None, tuple(call.args[2:])) if len(call.args) == 4 else None
    either = base.endswith("_or")
    of = next((k.value for k in call.keywords if k.arg == "of"), None)
    return Selected(base.removeprefix("_masked_").removesuffix("_or"), of, tuple(call.args[1 + either :]))


def reads_number(call: ast.Call, facts: Facts) -> bool:
    """True for a call that gives a number outside of compiled code, and a 0-d tensor within."""
    function = _called(call, facts)
    return function is not None and any(is_helper(function, base) for base in ("_scalar", "_number"))


def _called(call: ast.Call, facts: Facts) -> ast.AST | None:
    path = facts.names.qualified(call.func)
    return facts.names.definition(path) if path is not None and path.startswith(".") else None
