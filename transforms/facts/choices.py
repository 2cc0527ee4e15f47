"""Calls of the helpers by which this tool itself has put branches into a graph."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..craft.helpers import is_helper

if TYPE_CHECKING:
    from . import Facts


def chosen_by(call: ast.Call, facts: Facts) -> list[ast.expr] | None:
    """The two functions of a call of this tool's own `_cond`, `_where` or `_where_alike`, None for any other call."""
    path = facts.names.qualified(call.func)
    function = facts.names.definition(path) if path is not None and path.startswith(".") else None
    ours = ("_cond", "_where", "_where_alike")
    if function is None or len(call.args) < 3 or not any(is_helper(function, base) for base in ours):
        return None
    return [call.args[1], call.args[2]]
