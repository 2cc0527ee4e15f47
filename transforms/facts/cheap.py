"""What may be evaluated where it is not asked for: it never raises, and its derivative is finite everywhere."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from . import torch_api
from .choices import chosen_by

if TYPE_CHECKING:
    from . import Facts


def evaluable(root: ast.AST, facts: Facts) -> bool:
    """True where every tensor operation is elementwise, never raises, and has a finite derivative everywhere."""
    for node in ast.walk(root):
        if not isinstance(node, ast.expr) or isinstance(node, (ast.Name, ast.Constant, ast.Attribute)):
            continue
        if facts.kinds.of(node).is_tensor and not _safe(node, facts):
            return False
    return True


def _safe(node: ast.expr, facts: Facts) -> bool:
    match node:
        case ast.BinOp(op=ast.Add() | ast.Sub()):
            return True
        case ast.BinOp(op=ast.Mult()):
            # A tensor factor may be infinite, and 0 * inf is NaN in the gradient of the arm not taken.
            return any(
                isinstance(x, ast.Constant) or (isinstance(x, ast.UnaryOp) and isinstance(x.operand, ast.Constant))
                for x in (node.left, node.right)
            )
        case ast.BinOp(op=ast.Div()):
            right = node.right
            return isinstance(right, ast.Constant) and bool(right.value)
        case ast.UnaryOp(op=ast.USub() | ast.UAdd()) | ast.Compare():
            return True
        case ast.Call() if (inner := chosen_by(node, facts)) is not None:
            return all(evaluable(a.body if isinstance(a, ast.Lambda) else a, facts) for a in inner)
        case ast.Call():
            func = node.func
            on_tensor = isinstance(func, ast.Attribute) and facts.kinds.of(func.value).is_tensor
            op = (
                torch_api.method(func.attr)
                if on_tensor and isinstance(func, ast.Attribute)
                else torch_api.function(facts.names.qualified(func) or "")
            )
            return (
                op is not None
                and op.elementwise
                and op.total
                and op.gradient == "total"
                and op.random == "never"
                and not op.mutates
            )
    return False
