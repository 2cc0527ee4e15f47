"""Calls of the helpers by which this tool itself has put branches into a graph."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..craft.helpers import is_helper

if TYPE_CHECKING:
    from . import Facts


def chosen_by(call: ast.Call, facts: Facts) -> list[ast.expr] | None:
    """The two functions of a call of this tool's own `_cond`, `_where` or `_where_alike`, None for any other call."""
    if len(call.args) < 3 or not _calls(call, ("_cond", "_where", "_where_alike"), facts):
        return None
    return [call.args[1], call.args[2]]


def asks_while_compiling(call: ast.Call, facts: Facts) -> bool:
    """True for a helper of this tool that looks at its tensors while compiling, and is a plain branch if they differ.

    The plain branch ends the graph; where a graph has to hold all of it, as within `torch.cond`, it is an error.
    """
    return _calls(call, ("_where_alike", "_by_number", "_select", "_copy_if", "_update_if"), facts)


def updated_by(call: ast.Call, facts: Facts) -> list[ast.expr] | None:
    """The tensor and the mask of a call of this tool's own `_masked_update` or `_row_update`, None for any other."""
    return call.args[:2] if len(call.args) > 2 and _calls(call, ("_masked_update", "_row_update"), facts) else None


def _calls(call: ast.Call, helpers: tuple[str, ...], facts: Facts) -> bool:
    path = facts.names.qualified(call.func)
    function = facts.names.definition(path) if path is not None and path.startswith(".") else None
    return function is not None and any(is_helper(function, base) for base in helpers)
