"""Questions about tensors in other words: one reduction for two, and comparisons without a reading."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Container, Sequence
from typing import TYPE_CHECKING

from ..trees import walk
from .values import BOOL, SCALAR, Tag, category

if TYPE_CHECKING:
    from . import Facts

Code = Callable[[ast.expr], str]

SIGNS = {ast.And: " & ", ast.Or: " | "}
_ORDER = {ast.Lt: "<", ast.Gt: ">", ast.LtE: "<=", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
_LARGEST = 127  # that every dtype of more than a bit holds
_SMALLEST = 2.0**-14  # that every floating dtype holds as a normal number
_EXACT = 2**53  # below which a float holds every int
_BITS = 8  # of the significand of bfloat16


def reduced(expr: ast.expr, names: Container[str], facts: Facts) -> ast.expr | None:
    """What `x.any()` or `torch.any(x)` reduces to one value, by one of these methods."""
    if not isinstance(expr, ast.Call) or expr.keywords:
        return None
    func, qualified = expr.func, facts.names.qualified(expr.func)
    if qualified is not None:
        known = qualified.startswith("torch.") and qualified.removeprefix("torch.") in names
        return expr.args[0] if known and len(expr.args) == 1 else None
    return func.value if isinstance(func, ast.Attribute) and func.attr in names and not expr.args else None


def merged(test: ast.BoolOp, facts: Facts, code: Code) -> str | None:
    """`((x < 0) | (x > 1)).any()` for `(x < 0).any() or (x > 1).any()`: one reduction instead of two.

    Of infinities and NaN together `~(x.abs() < torch.inf).all()` asks.
    """
    asked = "any" if isinstance(test.op, ast.Or) else "all"
    masks = [reduced(v, (asked,), facts) for v in test.values]
    held = [m for m in masks if m is not None]
    values = [facts.kinds.of(m) for m in held]
    # Of one tensor, so that they are of one shape and on one device.
    names = {n.id for m in held for n in walk(m) if isinstance(n, ast.Name) and facts.names.qualified(n) is None}
    one = len(names) == 1 and len({v.shape for v in values}) == 1 and values[0].shape is not None
    if len(held) < len(masks) or not one or any(v.dtype != BOOL for v in values):
        return None
    if isinstance(test.op, ast.Or) and (finite := _finite(held, facts, code)) is not None:
        return finite
    sides = [str(code(m)) if isinstance(m, ast.Call) else f"({code(m)})" for m in held]
    return f"(({SIGNS[type(test.op)].join(sides)}).{asked}())"


def _finite(masks: Sequence[ast.expr], facts: Facts, code: Code) -> str | None:
    """The one question for `isinf(x)` and `isnan(x)`, where both ask it of the same tensor.

    It takes two operations in eager mode, where `torch.isfinite` takes four.
    """
    names, tensors, modules = set(), set(), set()
    for mask in masks:
        if not isinstance(mask, ast.Call) or not isinstance(mask.func, ast.Attribute) or mask.keywords:
            return None
        names.add(mask.func.attr)
        of_torch = facts.names.qualified(mask.func) in ("torch.isinf", "torch.isnan")
        given = [*mask.args] if of_torch else [mask.func.value, *mask.args]
        if len(given) != 1:
            return None
        tensors.add(str(code(given[0])))
        modules |= {ast.unparse(mask.func.value)} if of_torch else set()
    if len(masks) != 2 or names != {"isinf", "isnan"} or len(tensors) > 1 or len(modules) > 1:
        return None
    function = facts.function_of(given[0])
    floats = facts.kinds.floats(function) if function is not None else frozenset()
    tight = isinstance(given[0], (ast.Name, ast.Attribute, ast.Subscript, ast.Call))
    tensor = tensors.pop() if tight else f"({tensors.pop()})"
    if category(facts.kinds.of(given[0]).dtype, floats) != "float":  # a bool has no `abs`
        return f"(~{tensor}.isfinite().all())"
    infinite = f"{modules.pop()}.inf" if modules else 'float("inf")'
    return f"(~({tensor}.abs() < {infinite}).all())"


def compared(test: ast.expr, facts: Facts, code: Code, number: str | None = None) -> str | None:
    """`gap > 0.5` for `gap.item() > 0.5`, where both are the same: the number is one of every dtype.

    Any other number is compared with what the helper `number` gives of a floating tensor, where that may be called.
    """
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or type(test.ops[0]) not in _ORDER:
        return None
    sides = [test.left, test.comparators[0]]
    read = [_read(s, facts) for s in sides]
    tensors = [t for t in read if t is not None]
    numbers = [s for s, t in zip(sides, read, strict=True) if t is None]
    if len(tensors) != 1:
        return None
    floating = category(facts.kinds.of(tensors[0]).dtype) == "float"
    texts = [code(s if t is None else t) for s, t in zip(sides, read, strict=True)]
    if _common(numbers[0], floating):
        plain = (ast.Name, ast.Call, ast.Attribute, ast.Subscript, ast.Constant, ast.UnaryOp)
        texts = [x if isinstance(t or s, plain) else f"({x})" for x, s, t in zip(texts, sides, read, strict=True)]
    elif number is not None and floating and _float(numbers[0], facts):
        texts = [x if t is None else f"{number}({x})" for x, t in zip(texts, read, strict=True)]
    else:
        return None
    return f"{texts[0]} {_ORDER[type(test.ops[0])]} {texts[1]}"


def _float(expr: ast.expr, facts: Facts) -> bool:
    """True for a float of Python's, or an int that a float holds as it is."""
    value = facts.kinds.of(expr)
    if isinstance(expr, ast.Constant):
        return type(expr.value) is float or (type(expr.value) is int and abs(expr.value) < _EXACT)
    return value.tag is Tag.HOST and value.detail == "float" and isinstance(expr, (ast.Name, ast.Attribute))


def _read(expr: ast.expr, facts: Facts) -> ast.expr | None:
    """The 0-d tensor of `x.item()` or `float(x)`."""
    if not isinstance(expr, ast.Call) or expr.keywords:
        return None
    func = expr.func
    given = func.value if isinstance(func, ast.Attribute) and func.attr == "item" and not expr.args else None
    if facts.names.qualified(func) == "builtins.float" and len(expr.args) == 1:
        given = expr.args[0]
    value = facts.kinds.of(given) if given is not None else None
    known = value is not None and value.tag is Tag.TENSOR and value.shape == SCALAR and not value.optional
    return given if known else None


def _common(expr: ast.expr, signed: bool) -> bool:
    """True for a number that all dtypes hold as it is; a negative one for those that are `signed`."""
    sign = -1 if isinstance(expr, ast.UnaryOp) and isinstance(expr.op, ast.USub) else 1
    given = expr.operand if isinstance(expr, ast.UnaryOp) else expr
    number = given.value if isinstance(given, ast.Constant) and type(given.value) in (int, float) else None
    if not isinstance(number, (int, float)) or number > _LARGEST or (sign < 0 and not signed):
        return False
    significand = math.frexp(number)[0] * 2**_BITS
    return number == 0 or (number >= _SMALLEST and significand == int(significand))
