"""Values that the text alone decides: literals, constants of the module, arithmetic on them."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from . import Facts


class _Undecided:
    def __repr__(self) -> str:
        return "UNDECIDED"


UNDECIDED: Final = _Undecided()

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Div: operator.truediv,
}
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}


def decide(expr: ast.expr, facts: Facts, values: Mapping[str, object]) -> object:
    """The value of the expression where the text and the given values of names decide it, else `UNDECIDED`.

    Numbers, strings, bools, None and tuples of them only.
    """
    try:
        return _value(expr, facts, values)
    except (_OpenError, ArithmeticError, TypeError, ValueError):
        return UNDECIDED


class _OpenError(Exception):
    """The text does not decide it."""


def _value(e: ast.expr, facts: Facts, values: Mapping[str, object]) -> Any:
    match e:
        case ast.Constant() if e.value is None or isinstance(e.value, (bool, int, float, str)):
            return e.value
        case ast.Name():
            return values[e.id] if e.id in values else _global(e, facts)
        case ast.Tuple():
            return tuple(_value(x, facts, values) for x in e.elts)
        case ast.UnaryOp(op=ast.USub()):
            return -_value(e.operand, facts, values)
        case ast.UnaryOp(op=ast.Not()):
            return not _value(e.operand, facts, values)
        case ast.BinOp() if type(e.op) in _BINARY:
            left, right = _value(e.left, facts, values), _value(e.right, facts, values)
            if not all(isinstance(v, (bool, int, float)) for v in (left, right)):
                raise _OpenError
            return _BINARY[type(e.op)](left, right)
        case ast.Compare() if all(type(op) in _COMPARE for op in e.ops):
            sides = [_value(x, facts, values) for x in [e.left, *e.comparators]]
            return all(_COMPARE[type(op)](a, b) for op, a, b in zip(e.ops, sides, sides[1:], strict=False))
        case ast.BoolOp():
            return _boolean(e, facts, values)
    raise _OpenError


def _boolean(e: ast.BoolOp, facts: Facts, values: Mapping[str, object]) -> Any:
    """The operand that decides; those behind it are not looked at, as in Python."""
    stop, value = isinstance(e.op, ast.Or), None
    for part in e.values:
        value = _value(part, facts, values)
        if bool(value) is stop:
            break
    return value


def _global(name: ast.Name, facts: Facts) -> Any:
    """A name of the module that one plain assignment binds to a literal."""
    binding = facts.names.binding(name)
    if binding is None or binding.scope.kind != "module" or binding.value is None:
        raise _OpenError
    if facts.names.parent(binding.statements[0]) is not facts.source.tree:
        raise _OpenError
    return _value(binding.value, facts, {})
