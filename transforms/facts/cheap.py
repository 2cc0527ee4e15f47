"""What may be evaluated where it is not asked for: it is cheap and never raises; its derivative may be finite too."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..trees import children, walk
from . import torch_api
from .choices import chosen_by
from .flow import walk_scope
from .values import BOOL, category

if TYPE_CHECKING:
    from . import Facts


def evaluable(root: ast.AST, facts: Facts) -> bool:
    """True where every tensor operation is elementwise, never raises, and has a finite derivative everywhere."""
    for node in walk(root):
        if not isinstance(node, ast.expr) or isinstance(node, (ast.Name, ast.Constant, ast.Attribute)):
            continue
        if facts.kinds.of(node).is_tensor and not _safe(node, facts):
            return False
    return True


def _safe(node: ast.expr, facts: Facts) -> bool:
    if category(facts.kinds.of(node).dtype) in ("bool", "int"):
        return isinstance(node, ast.Compare) or _mild(node, facts)  # it has no derivative
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
        case ast.Call() if (body := _straight(node, facts)) is not None:
            return all(evaluable(s, facts) for s in body)
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


# Reductions of whole tensors, also of empty ones, and what makes tensors of a size that is known to be one.
_WHOLE = frozenset({"sum", "mean", "all", "any", "norm", "std", "var", "numel", "dim", "count_nonzero"})
_MADE = frozenset({"zeros_like", "ones_like", "full_like", "detach", "clone", "contiguous", "expand_as", "view_as"})
_MADE |= {"to", "float", "half", "double", "bfloat16", "long", "int", "bool", "type_as"}
_PLAIN = (
    *(ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Pass, ast.Name, ast.Constant, ast.Attribute, ast.Compare),
    *(ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.keyword, ast.UnaryOp, ast.Tuple, ast.Lambda),
    *(ast.arguments, ast.arg),
)
MAX_LIGHT = 12  # operations: together they cost less than a cut of the graph


def light(nodes: Iterable[ast.AST], facts: Facts, dims: bool = False) -> bool:
    """True where all is arithmetic, elementwise operations and whole reductions that raise for no value, and few.

    With `dims` also where sums and means reduce some dimensions.
    """
    found = [n for root in nodes for n in walk_scope(root)]
    count = sum(isinstance(n, (ast.Call, ast.BinOp, ast.Compare)) for n in found)
    return count <= MAX_LIGHT and all(isinstance(n, _PLAIN) or _mild(n, facts, dims) for n in found)


def _mild(node: ast.AST, facts: Facts, dims: bool = False) -> bool:
    """The same of one node, its children apart."""
    match node:
        case ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mult()):
            return True
        case ast.BinOp(op=ast.Div(), right=right):
            nonzero = isinstance(right, ast.Constant) and bool(right.value)
            return nonzero or facts.kinds.of(node.left).is_tensor or facts.kinds.of(right).is_tensor
        case ast.BinOp(op=ast.Pow(), right=ast.Constant(value=int() | float() as power)):
            return power >= 0 and facts.kinds.of(node.left).is_tensor
        case ast.BinOp(op=ast.BitAnd() | ast.BitOr() | ast.BitXor()):
            return all(facts.kinds.of(x).dtype == BOOL for x in (node.left, node.right))
        case ast.Call():
            if (body := _straight(node, facts)) is not None:
                return light([n for s in body for n in children(s)], facts)
            return chosen_by(node, facts) is not None or _mild_call(node, facts, dims)
    return False


def _straight(call: ast.Call, facts: Facts) -> list[ast.stmt] | None:
    """The statements of the function of the file that is called, where it only binds locals and returns."""
    target = facts.calls.target(call)
    if target is None or not target.plain or target.function.decorator_list or facts.function_of(call) is None:
        return None
    body = target.function.body[1:] if ast.get_docstring(target.function) else target.function.body
    plain = all(
        isinstance(s, ast.Return) or (isinstance(s, ast.Assign) and all(isinstance(t, ast.Name) for t in s.targets))
        for s in body
    )
    inner = any(isinstance(n, ast.Call) and facts.calls.target(n) is target for s in body for n in walk(s))
    return list(body) if plain and not inner else None


def _mild_call(call: ast.Call, facts: Facts, dims: bool) -> bool:
    func, qualified = call.func, facts.names.qualified(call.func)
    if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg in (None, "out") for k in call.keywords):
        return False
    on_tensor = isinstance(func, ast.Attribute) and qualified is None and facts.kinds.of(func.value).is_tensor
    if on_tensor and isinstance(func, ast.Attribute):
        op, name = torch_api.method(func.attr), func.attr
    else:
        op, name = torch_api.function(qualified or ""), (qualified or "").rpartition(".")[2]
    if op is None or op.mutates or op.random != "never" or op.effect or op.reads or op.value_shape:
        return False
    given = call.args if on_tensor else call.args[1:]
    whole = name in _WHOLE and not given and not call.keywords
    whole |= (
        dims and name in ("sum", "mean") and all(_dimension(a) for a in [*given, *(k.value for k in call.keywords)])
    )
    number = qualified == "torch.tensor" and all(isinstance(a, (ast.Constant, ast.UnaryOp)) for a in call.args)
    return (op.elementwise and op.total) or whole or name in _MADE or number


def _dimension(e: ast.expr) -> bool:
    """`0`, `-1`, `(0, 1)`, `True`: which dimensions there are is settled when the graph is made."""
    parts = e.elts if isinstance(e, ast.Tuple) else [e]
    return all(isinstance(p, ast.Constant) or (isinstance(p, ast.UnaryOp) and _dimension(p.operand)) for p in parts)
