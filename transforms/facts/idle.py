"""Branches that ask whether a mask selects anything, around what does nothing where it does not."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..model import NoFix
from ..trees import walk
from .aliases import seen_alias
from .cheap import evaluable, light
from .choices import updated_by
from .classes import is_attribute_of
from .once import once
from .owned import needs_no_gradient, owns_parameters
from .predicates import split, total, unwrapped
from .questions import reduced
from .values import BOOL, SCALAR, Tag, agree

if TYPE_CHECKING:
    from . import Facts

_COUNTS = ("sum", "count_nonzero")


@dataclass(frozen=True, slots=True)
class Idle:
    """A branch whose arm may run in any case.

    Attributes:
        node: the `if`.
        tensor: the part of its condition that reads a tensor.
        several: the part stands beside others.
    """

    node: ast.If
    tensor: ast.expr
    several: bool


@once
def idle(node: ast.If, facts: Facts) -> Idle | None:
    """The branch, where its arm changes nothing for masks that select nothing; None for any other."""
    only = facts.settings.only
    asked = not node.orelse and (only is None or "TR108" in only)
    predicate = split(node.test, facts) if asked else None
    function = facts.function_of(node)
    if predicate is None or function is None:
        return None
    masks = {_spelled(m, facts) for m in _masks(predicate.tensor, True, facts)}
    if not masks or not all(_does_nothing(s, node, masks, facts) for s in node.body):
        return None
    effect = facts.effects.of(node.body)
    if effect.breaks or effect.reads or effect.unknown or effect.io or effect.random or effect.raises:
        return None
    if not _needless(predicate.tensor, facts):
        return None
    return None if facts.perhaps_unbound(node, node.body) else Idle(node, predicate.tensor, bool(predicate.host))


def _needless(test: ast.expr, facts: Facts) -> bool:
    """True for a condition that need not be asked: it does nothing but answer, and does not raise by itself."""
    effect = facts.effects.of([test])
    acts = effect.mutates or effect.stores or effect.io or effect.unknown or effect.random or effect.state
    names = any(isinstance(n, ast.NamedExpr) for n in walk(test))
    return not acts and not names and (not isinstance(test, ast.BoolOp) or total(test, facts, truth=True))


def _masks(test: ast.expr, selects: bool, facts: Facts) -> Iterator[ast.expr]:
    """The masks of which none selects anything where the condition does not have this outcome."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from _masks(test.operand, not selects, facts)
        return
    if isinstance(test, ast.BoolOp):
        if isinstance(test.op, ast.Or) is selects:
            for value in test.values:
                yield from _masks(value, selects, facts)
        return
    asked = unwrapped(test, facts)
    if selects and isinstance(asked, ast.Compare) and len(asked.ops) == 1:
        asked = _counted(asked) or asked
    mask = reduced(asked, (*_COUNTS, "any") if selects else ("all",), facts)
    if mask is None or facts.kinds.of(mask).dtype != BOOL or facts.kinds.of(mask).shape == SCALAR:
        return
    yield from _parts(mask) if selects else [ast.UnaryOp(ast.Invert(), mask)]


def _parts(mask: ast.expr) -> list[ast.expr]:
    """The mask, and for `a | b` both of these as well."""
    either = isinstance(mask, ast.BinOp) and isinstance(mask.op, ast.BitOr)
    return [mask, *(m for side in (mask.left, mask.right) for m in _parts(side))] if either else [mask]  # type: ignore[attr-defined]


def _counted(test: ast.Compare) -> ast.expr | None:
    """The count of `count > 0`, `count != 0`, `count >= 1`."""
    limit = test.comparators[0]
    value = limit.value if isinstance(limit, ast.Constant) and type(limit.value) is int else None
    some = (isinstance(test.ops[0], (ast.Gt, ast.NotEq)) and value == 0) or (
        isinstance(test.ops[0], ast.GtE) and value == 1
    )
    left = test.left
    if some and isinstance(left, ast.Call) and isinstance(left.func, ast.Attribute) and left.func.attr == "item":
        return left.func.value
    return left if some else None


def _spelled(expr: ast.expr, facts: Facts) -> str:
    """The expression as text, the same for `torch.isnan(x)` and `x.isnan()`."""
    match expr:
        case ast.Call(func=func, args=[first, *rest]) if (facts.names.qualified(func) or "").startswith(
            "torch."
        ) and isinstance(func, ast.Attribute):
            return ast.unparse(ast.Call(ast.Attribute(first, func.attr, ast.Load()), rest, expr.keywords))
        case ast.UnaryOp(op=ast.Invert()):
            return f"~({_spelled(expr.operand, facts)})"
    return ast.unparse(expr)


# ---- the arm ---------------------------------------------------------------------------------------------------------
def _does_nothing(s: ast.stmt, node: ast.If, masks: set[str], facts: Facts) -> bool:
    """True for `x[mask] = 0`, `x.masked_fill_(mask, 0)`, `x = x.masked_fill(mask, 0)`, `x = where(mask, y, x)`."""
    match s:
        case ast.Assign(targets=[ast.Subscript() as target], value=value):
            index = target.slice.elts if isinstance(target.slice, ast.Tuple) else [target.slice]
            chosen = sum(_is_mask(i, masks, facts) for i in index) == 1
            plain = all(_is_mask(i, masks, facts) or isinstance(i, (ast.Slice, ast.Constant)) for i in index)
            return chosen and plain and _tensor(target.value, facts) and _number(value, facts)
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=base, attr="masked_fill_"), args=[mask, value])):
            return _is_mask(mask, masks, facts) and _tensor(base, facts) and _number(value, facts)
        case ast.Expr(value=ast.Call() as call) if (given := updated_by(call, facts)) is not None:
            return _is_mask(given[1], masks, facts) and _tensor(given[0], facts)
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            return _keeps(name, value, masks, facts) and _same_kind(name, value, node, facts)
    return False


def _is_mask(expr: ast.expr, masks: set[str], facts: Facts) -> bool:
    return _spelled(expr, facts) in masks


def _tensor(expr: ast.expr, facts: Facts) -> bool:
    """True for a tensor that may be changed in place: a leaf that takes a gradient refuses that, for any mask."""
    value = facts.kinds.of(expr)
    if not value.is_tensor or value.optional:
        return False
    return not value.roots or (isinstance(expr, ast.Attribute) and _no_parameter(expr, facts))


def _no_parameter(attribute: ast.Attribute, facts: Facts) -> bool:
    """True for an attribute of the instance that only ever is a buffer, or what torch made or computed."""
    owner = facts.classes.owner(attribute)
    if owner is None or not is_attribute_of(attribute, owner[1]):
        return False
    if attribute.attr in owner[0].buffers:
        return True
    values = owner[0].attribute(attribute.attr)
    return bool(values) and all(_computed(v, facts) for v in values)


def _computed(value: ast.expr, facts: Facts) -> bool:
    if not isinstance(value, ast.Call):
        return isinstance(value, ast.BinOp)
    made = facts.names.qualified(value.func) or ""
    leaf = "nn." in made or any(k.arg == "requires_grad" for k in value.keywords)
    return made.startswith("torch.") and not leaf


def _number(expr: ast.expr, facts: Facts) -> bool:
    return facts.kinds.of(expr).tag is Tag.HOST and facts.kinds.of(expr).detail in ("int", "float", "bool")


def _keeps(name: str, value: ast.expr, masks: set[str], facts: Facts) -> bool:
    """True where the value is that of the name wherever the mask does not select."""
    if not isinstance(value, ast.Call):
        return False
    qualified, func, given = facts.names.qualified(value.func), value.func, value.args
    if qualified is None and isinstance(func, ast.Attribute) and func.attr in ("masked_fill", "nan_to_num"):
        given = [func.value, *given]
        qualified = f"torch.{func.attr}"
    if qualified == "torch.nan_to_num":
        numbers = [*given[1:], *(k.value for k in value.keywords if k.arg in ("nan", "posinf", "neginf"))]
        plain = len(numbers) == len(given) + len(value.keywords) - 1 and all(_number(n, facts) for n in numbers)
        return plain and bool(given) and _named(given[0], name) and _all_finite(name, masks)
    if len(given) != 3 or value.keywords:
        return False
    if qualified == "torch.masked_fill":
        return _named(given[0], name) and _is_mask(given[1], masks, facts) and _number(given[2], facts)
    if qualified != "torch.where":
        return False
    mask, taken, kept = given
    if not _is_mask(mask, masks, facts):  # `torch.where(~mask, x, y)`
        taken, kept = kept, taken
        if not _is_mask(ast.UnaryOp(ast.Invert(), mask), masks, facts):
            return False
    if _number(taken, facts):
        return _named(kept, name)
    flat = evaluable(taken, facts) or needs_no_gradient(taken, facts)
    there = not any(facts.kinds.of(n).optional for n in walk(taken) if isinstance(n, (ast.Name, ast.Attribute)))
    cheap = flat and light([taken], facts) and not owns_parameters([taken], facts)
    return _named(kept, name) and there and cheap


def _all_finite(name: str, masks: set[str]) -> bool:
    """True where these masks select nothing of a tensor that is finite, and something of any other."""
    return f"~({name}.isfinite())" in masks or {f"{name}.isnan()", f"{name}.isinf()"} <= masks


def _named(expr: ast.expr, name: str) -> bool:
    return isinstance(expr, ast.Name) and expr.id == name


def _same_kind(name: str, value: ast.expr, node: ast.If, facts: Facts) -> bool:
    """True where it is not seen that the name holds a new tensor, of the same shape and dtype."""
    before, after = facts.kinds.before(node).get(name), facts.kinds.of(value)
    function = facts.function_of(node)
    if before is None or function is None or not before.is_tensor or before.optional:
        return False
    call = value if isinstance(value, ast.Call) else None
    method = call.func.attr if call is not None and isinstance(call.func, ast.Attribute) else ""
    if call is not None and method == "masked_fill":  # of the name's dtype, and of its shape where the mask has that
        mask = facts.kinds.of(call.args[-2])
        same = before.shape is not None and mask.shape == before.shape
    else:
        same = method == "nan_to_num" or agree(after, before, facts.kinds.floats(function, node)).certain
    return same and not isinstance(seen_alias(name, (after, before), node, facts), NoFix)


def asks(test: ast.expr, facts: Facts) -> bool:
    """True for the condition of such a branch, or a part of it."""
    around = facts.names.parent(test)
    while isinstance(around, ast.expr):
        test, around = around, facts.names.parent(around)
    return isinstance(around, ast.If) and around.test is test and idle(around, facts) is not None


__all__ = ["Idle", "asks", "idle"]
