"""What a loop holds that could be captured: tensor work in it and around it; and what of it only keeps the books."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterable, Sequence
from typing import TYPE_CHECKING

from ..trees import walk
from .classes import FunctionNode
from .flow import SCOPES, walk_scope
from .regions import GRAD_MODES
from .values import Tag

if TYPE_CHECKING:
    from . import Facts

Loop = ast.For | ast.While
GROWING = frozenset(
    {"append", "extend", "insert", "update", "setdefault", "add", "pop", "appendleft", "popleft", "remove", "clear"}
)


def work(nodes: Iterable[ast.AST], facts: Facts, without: Container[int] = ()) -> int:
    """How many expressions of the nodes may compute a tensor, calls of layers and of the file's functions included.

    Args:
        nodes: where to look.
        facts: of the file.
        without: the identities of nodes that do not count.
    """
    found = (node for root in nodes for node in _outside_raise(root) if id(node) not in without)
    return sum(_computes(node, facts) for node in found)


def _outside_raise(root: ast.AST) -> list[ast.AST]:
    nodes = list(walk_scope(root))
    raised = {id(n) for r in nodes if isinstance(r, ast.Raise) for n in walk(r)}
    return [n for n in nodes if id(n) not in raised]


def _computes(node: ast.AST, facts: Facts) -> bool:
    if not isinstance(node, (ast.Call, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Subscript)):
        return False
    if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
        return False
    tag = facts.kinds.of(node).tag
    if not isinstance(node, ast.Call):
        return tag is Tag.TENSOR or (tag is Tag.UNKNOWN and isinstance(node, ast.BinOp))
    if facts.kinds.of(node.func).tag is Tag.MODULE or facts.calls.target(node) is not None:
        return True
    if tag is not Tag.UNKNOWN:
        return tag is Tag.TENSOR
    if (facts.names.qualified(node.func) or "").startswith("numpy."):
        return False
    grows = isinstance(node.func, ast.Attribute) and node.func.attr in GROWING
    given = any(facts.kinds.of(a).tag in (Tag.TENSOR, Tag.UNKNOWN) for a in node.args)
    return given and not grows and not facts.breaks.certain([node])


def work_around(loop: Loop, function: FunctionNode, facts: Facts) -> int:
    """The tensor expressions of the function that are not in the loop; what the loop runs over belongs to it."""
    inside = {id(n) for n in walk(loop)}
    return sum(_computes(n, facts) for s in function.body for n in _outside_raise(s) if id(n) not in inside)


def one_call(moved: Sequence[ast.stmt], given: ast.expr | None, facts: Facts) -> bool:
    """True where the body is one call of a function of the file, which is a frame of its own."""
    if len(moved) == 1 and given is None and isinstance(moved[0], (ast.Assign, ast.Expr)):
        call: ast.expr | None = moved[0].value
    else:
        call = given if not moved else None
    if not isinstance(call, ast.Call) or work([*call.args, *call.keywords], facts):
        return False
    return facts.breaks.target(call) is not None


def moved_part(loop: Loop, facts: Facts) -> tuple[int, ast.expr | None]:
    """How many leading statements move; those behind only keep the books (Dynamo guards the length of a list)."""
    size = len(loop.body)
    while size > 1 and _bookkeeping(loop.body[size - 1], facts):
        size -= 1
    last = loop.body[size - 1]
    match last:
        case ast.Expr(
            value=ast.Call(func=ast.Attribute(value=ast.Name() as held, attr="append"), args=[value], keywords=[])
        ):
            plain = not any(isinstance(n, (ast.Starred, ast.NamedExpr)) for n in walk(value))
            if plain and facts.kinds.of(held).tag is Tag.SEQUENCE:
                return (size - 1, value) if work([value], facts) or facts.breaks.certain([value]) else (size, None)
    return size, None


def _bookkeeping(statement: ast.stmt, facts: Facts) -> bool:
    """`out.append(x)`, `out[k] = x`: a plain statement that may stay behind, as it computes nothing."""
    if work([statement], facts) or facts.breaks.certain([statement]):
        return False
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name))):
            return name in GROWING
        case ast.Assign(targets=[ast.Subscript(value=ast.Name())]):
            return True
    return False


def names_grad_mode(decorator: ast.expr, facts: Facts) -> bool:
    """True for `@torch.no_grad()` and the like."""
    return facts.names.qualified(decorator.func if isinstance(decorator, ast.Call) else decorator) in GRAD_MODES


def statements_around(node: ast.AST, facts: Facts) -> list[ast.AST]:
    """The statements around a node within its function, inner ones first."""
    found: list[ast.AST] = []
    parent = facts.names.parent(node)
    while parent is not None and not isinstance(parent, SCOPES):
        found.append(parent)
        parent = facts.names.parent(parent)
    return found


def grad_mode(node: ast.AST, facts: Facts) -> bool:
    """A `with` statement that Dynamo holds across a break."""
    modes = ("torch.no_grad", "torch.enable_grad", "torch.inference_mode", "torch.autograd.no_grad")
    return isinstance(node, ast.With) and all(
        isinstance(i.context_expr, ast.Call) and facts.names.qualified(i.context_expr.func) in modes for i in node.items
    )
