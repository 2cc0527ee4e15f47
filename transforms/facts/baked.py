"""Numbers of the caller that become constants of the graph, one graph for each."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .classes import FunctionNode
from .values import Tag

if TYPE_CHECKING:
    from . import Facts

# Functions of a number that Dynamo computes while tracing (torch 2.13; `cos`, `sqrt` and others stay symbolic).
_NAMES = ("exp", "exp2", "expm1", "log", "log10", "log1p", "pow", "erf", "erfc", "gamma", "lgamma", "fabs", "degrees")
BAKED = frozenset(f"math.{n}" for n in (*_NAMES, "hypot", "copysign", "fmod", "cbrt"))


def bakes(call: ast.Call, function: FunctionNode, facts: Facts) -> bool:
    """True where the call makes a constant of a number that the caller of the function gives."""
    if facts.names.qualified(call.func) not in BAKED:
        return False
    values = [facts.kinds.of(a) for a in call.args]
    given = facts.kinds.run(function).before.get(id(function.body[0]), {})
    parameters = facts.flow(function).parameters
    numbers = {p for p in parameters if p in given and given[p].tag in (Tag.HOST, Tag.UNKNOWN)}
    return not any(v.is_tensor for v in values) and any(v.deps & numbers for v in values)
