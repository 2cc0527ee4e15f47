"""Branches on a number of the caller that only choose between tensors: each side would be a graph of its own."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..model import NoFix
from ..trees import walk
from . import torch_api
from .flow import reads
from .values import Tag

if TYPE_CHECKING:
    from . import Facts

_ORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


@dataclass(frozen=True, slots=True)
class Threshold:
    """A branch on a number.

    Attributes:
        node: the `if`.
        number: the parameter that holds the number.
        name: the local that both sides bind.
        true, false: what each side binds it to; None where it stays as it is.
        tensors: the names that the arithmetic starts from, which have to hold tensors.
    """

    node: ast.If
    number: str
    name: str
    true: ast.expr | None
    false: ast.expr | None
    tensors: tuple[str, ...]


def threshold(node: ast.If, facts: Facts) -> Threshold | NoFix | None:
    """The branch as a choice, or why it stays; None where it decides on nothing that the graph computes with."""
    function = facts.function_of(node)
    number = _number(node.test, facts)
    if function is None or number is None or number not in facts.flow(function).parameters:
        return None
    arithmetic = [n for s in function.body for n in walk(s) if isinstance(n, ast.BinOp)]
    if not any(isinstance(x, ast.Name) and x.id == number for b in arithmetic for x in (b.left, b.right)):
        return None
    sides = [_bound(body) for body in (node.body, node.orelse)]
    names = {s[0] for s in sides if s is not None}
    if not node.body or len(names) != 1 or (sides[1] is None and node.orelse) or sides[0] is None:
        return NoFix("its sides do more than bind one name")
    (name,) = names
    if (sides[1] is None or name in reads(node.test)) and name not in facts.flow(function).bound_before(node):
        return NoFix(f"`{name}` may be unbound")
    values = [s[1] if s is not None else None for s in sides]
    doubtful = next((v for v in values if v is not None and not _light(v, number, facts)), None)
    if doubtful is not None:
        return NoFix(f"`{ast.unparse(doubtful)}` may cost, raise or act where its side is not taken")
    roots = [_root(v) if v is not None else name for v in values]
    return Threshold(node, number, name, values[0], values[1], tuple(dict.fromkeys(roots)))


def _root(e: ast.expr) -> str:
    """The name that elementwise arithmetic starts from."""
    while not isinstance(e, ast.Name):
        e = e.left if isinstance(e, ast.BinOp) else e.func.value  # type: ignore[attr-defined]
    return e.id


def _number(test: ast.expr, facts: Facts) -> str | None:
    """The name that a comparison holds against a literal, where it may be a float."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], _ORDER):
        return None
    pair = [test.left, test.comparators[0]]
    literal = next((x for x in pair if isinstance(x, ast.Constant) and isinstance(x.value, (int, float))), None)
    name = next((x for x in pair if isinstance(x, ast.Name)), None)
    if literal is None or name is None:
        return None
    value = facts.kinds.of(name)
    real = value.detail == "float" or (value.tag is Tag.UNKNOWN and isinstance(literal.value, float))
    return name.id if real and not value.is_tensor else None


def _bound(body: list[ast.stmt]) -> tuple[str, ast.expr] | None:
    match body:
        case [ast.Assign(targets=[ast.Name(id=name)], value=value)]:
            return name, value
    return None


def _light(e: ast.expr, number: str, facts: Facts) -> bool:
    """True for a tensor that comes of elementwise arithmetic with numbers, which raises for no value."""
    if isinstance(e, ast.Name):
        value = facts.kinds.of(e)
        return e.id != number and value.tag in (Tag.TENSOR, Tag.UNKNOWN) and not value.optional
    if isinstance(e, ast.BinOp) and isinstance(e.op, (ast.Add, ast.Sub, ast.Mult, ast.Div)):
        return _light(e.left, number, facts) and _plain(e.right, number, facts)
    if isinstance(e, ast.Call) and isinstance(e.func, ast.Attribute) and _light(e.func.value, number, facts):
        op = torch_api.method(e.func.attr)
        total = op is not None and op.elementwise and op.total and op.random == "never" and not op.mutates
        return (
            total
            and all(_plain(a, number, facts) for a in e.args)
            and all(_plain(k.value, number, facts) for k in e.keywords)
        )
    return False


def _plain(e: ast.expr, number: str, facts: Facts) -> bool:
    """True for the number, other Python numbers, and sums and products of these."""
    if isinstance(e, ast.BinOp):
        sides = (e.left, e.right)
        return isinstance(e.op, (ast.Add, ast.Sub, ast.Mult)) and all(_plain(x, number, facts) for x in sides)
    if isinstance(e, ast.UnaryOp):
        return _plain(e.operand, number, facts)
    if isinstance(e, ast.Name):
        return e.id == number or facts.kinds.of(e).detail in ("int", "float")
    return isinstance(e, ast.Constant) and isinstance(e.value, (int, float))
