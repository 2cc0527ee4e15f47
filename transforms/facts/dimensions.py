"""Whether a tensor has dimensions for certain, so that a number beside it takes part by its category alone."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .values import Tag, category, has_dimensions

if TYPE_CHECKING:
    from . import Facts

# What they return has dimensions, whatever they are given.
_MAKERS = frozenset({"arange", "linspace", "stack", "cat", "flatten", "unsqueeze", "nonzero", "eye"})
_DEPTH = 6


def takes_number(e: ast.expr, facts: Facts, depth: int = 0) -> bool:
    """True for a tensor beside which a Python int gives what a 0-d int64 tensor of its value gives."""
    value = facts.kinds.of(e)
    function = facts.function_of(e)
    floats = facts.kinds.floats(function) if function is not None else frozenset()
    known = value.tag is Tag.TENSOR and not value.optional
    if known and (has_dimensions(value.shape) or category(value.dtype, floats) == "float"):
        return True
    return _dimensional(e, facts, depth)


def _dimensional(e: ast.expr, facts: Facts, depth: int) -> bool:
    """True for a tensor that has a dimension by the way in which it is made."""
    if depth > _DEPTH:
        return False
    match e:
        case ast.Subscript():
            parts = e.slice.elts if isinstance(e.slice, ast.Tuple) else [e.slice]
            kept = any(isinstance(p, ast.Slice) or (isinstance(p, ast.Constant) and p.value is None) for p in parts)
            return kept and facts.kinds.of(e.value).tag is Tag.TENSOR
        case ast.BinOp():
            sides = (e.left, e.right)
            return any(_dimensional(s, facts, depth + 1) for s in sides) and facts.kinds.of(e).tag is Tag.TENSOR
        case ast.UnaryOp(op=ast.USub() | ast.Invert()):
            return _dimensional(e.operand, facts, depth + 1)
        case ast.Name():
            value = facts.names.single_value(e)
            return value is not None and _dimensional(value, facts, depth + 1)
        case ast.Call():
            name = facts.names.qualified(e.func) or ""
            if isinstance(e.func, ast.Attribute) and not name:
                known = facts.kinds.of(e.func.value).tag is Tag.TENSOR
                sized = e.func.attr in ("reshape", "view", "expand", "repeat") and _counted(e.args[:1], facts)
                return known and (e.func.attr in _MAKERS or sized)
            return name.startswith("torch.") and name.rpartition(".")[2] in _MAKERS
    return False


def _counted(args: list[ast.expr], facts: Facts) -> bool:
    """True for a first argument that is one number, so that there is a dimension."""
    return bool(args) and (isinstance(args[0], ast.UnaryOp) or facts.kinds.of(args[0]).detail == "int")
