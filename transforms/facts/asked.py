"""Numbers read out of tensors that only guards ask how large they are: the tensor answers as well."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ..trees import named
from .flow import walk_scope
from .predicates import is_guard
from .scalars import ORDER, read_by
from .values import SCALAR, Tag, category

if TYPE_CHECKING:
    from . import Facts

_WHOLE = ("int", "size", "bool")  # details of Python values that an integer tensor is compared with exactly


@dataclass(frozen=True, slots=True)
class Asked:
    """A number that only guards, and the messages of what they raise, look at.

    Attributes:
        node: the expression that reads it.
        tensor: what is read.
        form: "tensor" where the tensor stands for the number, "count" where the number of its non-zero elements does.
    """

    node: ast.expr
    tensor: ast.expr
    form: Literal["tensor", "count"]


def asked(node: ast.expr, facts: Facts) -> Asked | None:
    """The number that an expression reads, where a 0-d tensor gives every answer that Python asks of it."""
    tensor, form = _read(node, facts)
    function = facts.function_of(node)
    if tensor is None or function is None or facts.hoists.covers(node):
        return None
    uses = list(_uses(node, facts))
    if uses == [node] and not isinstance(facts.names.parent(node), ast.Compare):
        return None  # the check itself leaves it out (TR103)
    whole = form == "count" or category(facts.kinds.of(tensor).dtype) in ("int", "bool")
    if not uses or not all(_answers(u, whole, facts) for u in uses):
        return None
    tests = [t for u in uses if (t := _test(u, facts)) is not None]
    # A guard becomes a check in the graph (TR103); a branch that stays would only ask the tensor instead.
    if not tests or not all(map(is_guard, tests)):
        return None
    return Asked(node, tensor, form) if _kept(tensor, facts) else None


def _read(node: ast.expr, facts: Facts) -> tuple[ast.expr | None, Literal["tensor", "count"]]:
    """`x.item()`, `int(x)` of integers, `bool(x)`, `len(x.nonzero())`, `x.nonzero().shape[0]`."""
    match node:
        case ast.Call(func=ast.Name(), args=[ast.Call() as found]) if (
            facts.names.qualified(node.func) == "builtins.len"
        ):
            return _nonzero(found, facts), "count"
        case ast.Subscript(value=ast.Attribute(attr="shape", value=ast.Call() as found), slice=ast.Constant(value=0)):
            return _nonzero(found, facts), "count"
        case ast.Call(func=ast.Attribute(attr="size", value=ast.Call() as found), args=[ast.Constant(value=0)]):
            return _nonzero(found, facts), "count"
        case ast.Call(args=[given]) if facts.names.qualified(node.func) == "builtins.bool" and not node.keywords:
            return (given if facts.kinds.of(given).shape == SCALAR else None), "tensor"
        case ast.Call():
            tensor, how = read_by(node, facts)
            value = facts.kinds.of(tensor) if tensor is not None else None
            exact = value is not None and value.shape == SCALAR and (how == "item" or category(value.dtype) == "int")
            return (tensor if exact else None), "tensor"
    return None, "tensor"


def _nonzero(call: ast.Call, facts: Facts) -> ast.expr | None:
    """The tensor of `x.nonzero()` or `torch.nonzero(x)`."""
    func = call.func
    if call.keywords:
        return None
    if isinstance(func, ast.Attribute) and func.attr == "nonzero" and not call.args:
        return func.value if facts.kinds.of(func.value).is_tensor else None
    known = facts.names.qualified(func) == "torch.nonzero" and len(call.args) == 1
    return call.args[0] if known and facts.kinds.of(call.args[0]).is_tensor else None


def _uses(node: ast.expr, facts: Facts) -> Iterator[ast.expr]:
    """Where the number is used: the expression itself, or every reader of the name that it is bound to alone."""
    parent = facts.names.parent(node)
    target: ast.expr | None = None
    if isinstance(parent, ast.Assign) and len(parent.targets) == 1:
        target = parent.targets[0]
    elif isinstance(parent, ast.Tuple) and isinstance(outer := facts.names.parent(parent), ast.Assign):
        names = outer.targets[0] if len(outer.targets) == 1 else None
        if isinstance(names, ast.Tuple) and len(names.elts) == len(parent.elts):
            target = names.elts[parent.elts.index(node)]
    if target is None:
        yield node
        return
    function = facts.function_of(node)
    if not isinstance(target, ast.Name) or function is None:
        return
    used = named(function, target.id)
    loads = [n for n in used if isinstance(n.ctx, ast.Load)]
    flow = facts.flow(function)
    if len(used) - len(loads) == 1 and target.id not in flow.parameters and target.id not in flow.always_live:
        yield from loads


def _answers(use: ast.expr, whole: bool, facts: Facts) -> bool:
    """True where a 0-d tensor in this place does what its number does."""
    parent = facts.names.parent(use)
    match parent:
        case ast.If() | ast.UnaryOp(op=ast.Not()):
            return _test(use, facts) is not None
        case ast.Compare() if len(parent.ops) == 1 and isinstance(parent.ops[0], ORDER) and whole:
            other = parent.comparators[0] if use is parent.left else parent.left
            value = facts.kinds.of(other)
            number = value.tag is Tag.HOST and value.detail in _WHOLE
            tensor = value.shape == SCALAR and category(value.dtype) in ("int", "bool")
            return (number or tensor or _own_integer(other, facts)) and _test(parent, facts) is not None
        case ast.FormattedValue(conversion=-1):
            return isinstance(facts.names.statement_of(use), ast.Raise)
    return False


def _own_integer(expr: ast.expr, facts: Facts) -> bool:
    """True for `self.least`, of which every value that the class shows is a whole number."""
    owner = facts.classes.owner(expr)
    made = facts.classes.values(owner[0], expr.attr) if owner is not None and isinstance(expr, ast.Attribute) else []
    return bool(made) and all(facts.kinds.of(m).detail in _WHOLE for m in made)


def _test(use: ast.expr, facts: Facts) -> ast.If | None:
    """The statement whose condition the expression is, alone or under a `not`."""
    parent = facts.names.parent(use)
    while isinstance(parent, (ast.Compare, ast.UnaryOp)):
        use, parent = parent, facts.names.parent(parent)
    return parent if isinstance(parent, ast.If) and parent.test is use else None


def _kept(tensor: ast.expr, facts: Facts) -> bool:
    """True where nothing changes the tensor after it is read."""
    function = facts.function_of(tensor)
    assert function is not None
    if isinstance(tensor, ast.Call) and not facts.kinds.of(tensor).roots:
        return True
    effect = facts.effects.of(function.body)
    changed = effect.mutates | effect.stores
    names = {n.id for n in walk_scope(tensor) if isinstance(n, ast.Name)}
    return not names & changed and not facts.kinds.of(tensor).roots & changed and "?" not in changed


__all__ = ["Asked", "asked"]
