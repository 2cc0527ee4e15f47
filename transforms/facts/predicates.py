"""Conditions taken apart: the Python-side conjuncts, and the part that is a tensor."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..model import Evidence, Level, NoFix
from ..trees import walk
from . import torch_api
from .always import always_so
from .applied import HOST_BUILTINS
from .classes import is_attribute_of
from .conventions import needs_float
from .once import once
from .operations import ITEM_QUESTIONS, asks_items
from .questions import SIGNS, Code, compared, merged
from .values import BOOL, SCALAR, Tag, category

if TYPE_CHECKING:
    from . import Facts

# Tensor operations that never raise, whatever the tensor holds and however large it is (also an empty one).
TOTAL = frozenset(
    {
        "all",
        "any",
        "sum",
        "mean",
        "isnan",
        "isinf",
        "isfinite",
        "abs",
        "numel",
        "dim",
        "size",
        "float",
        "bool",
        "long",
        "int",
        "half",
        "double",
        "norm",
    }
    | {
        "logical_not",
        "logical_and",
        "logical_or",
        "eq",
        "ne",
        "lt",
        "gt",
        "le",
        "ge",
        "is_floating_point",
        "square",
        "sqrt",
        "pow",
        "neg",
        "detach",
    }
    | {
        "count_nonzero",
        "sign",
        "exp",
        "log",
        "sigmoid",
        "tanh",
        "relu",
        "item",
        "std",
        "var",
        "logical_xor",
        "is_tensor",
        "clamp",
    }
)


_TRUTHS = ("builtins.bool", "torch.is_nonzero")
_COMPREHENSIONS = (ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)
_MAY_RAISE = (
    *(ast.Subscript, ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom, ast.Starred, ast.Dict),
    *_COMPREHENSIONS,
)


@dataclass(frozen=True, slots=True)
class Predicate:
    """A condition that reads a tensor.

    Attributes:
        host: leading conjuncts that are Python values; they stay in an `if`.
        tensor: the rest, in `and`/`or`/`not` over tensors.
        evidence: how it is known that this is a tensor.
    """

    host: tuple[ast.expr, ...]
    tensor: ast.expr
    evidence: Evidence


@once
def split(test: ast.expr, facts: Facts) -> Predicate | None:
    """The condition taken apart, None where no tensor is read."""
    if not holds_tensor(test, facts):
        return None
    evidence = _evidence(test, facts)
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        parts = test.values
        lead = next(i for i, p in enumerate(parts) if holds_tensor(p, facts))
        rest = parts[lead:]
        tail = rest[0] if len(rest) == 1 else ast.copy_location(ast.BoolOp(ast.And(), rest), rest[0])
        if len(rest) > 1:
            tail.end_lineno, tail.end_col_offset = rest[-1].end_lineno, rest[-1].end_col_offset
        return Predicate(tuple(parts[:lead]), tail, evidence)
    return Predicate((), test, evidence)


@once
def holds_tensor(test: ast.expr, facts: Facts) -> bool:
    """True where deciding the condition reads a tensor's value."""
    if isinstance(test, ast.BoolOp):
        eager = isinstance(test.op, ast.Or) and facts.regions.asks_compiling(test.values[0])
        return not eager and any(holds_tensor(v, facts) for v in test.values)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return holds_tensor(test.operand, facts)
    asked = facts.names.qualified(test.func) if isinstance(test, ast.Call) and test.args else None
    if isinstance(test, ast.Call) and (asked in _TRUTHS or asked in ITEM_QUESTIONS):
        return facts.kinds.of(test.args[0]).is_tensor or asks_items(asked, test, facts)
    if (
        isinstance(test, ast.Call)
        and isinstance(test.func, ast.Attribute)
        and test.func.attr == "item"
        and not test.args
    ):
        return facts.kinds.of(test.func.value).is_tensor
    if isinstance(test, ast.Compare):
        if any(isinstance(o, (ast.Is, ast.IsNot, ast.In, ast.NotIn)) for o in test.ops):
            return False
        sides = [test.left, *test.comparators]
        if all(_no_tensor(x, facts) for x in sides):
            return False
        return facts.kinds.of(test).is_tensor or any(holds_tensor(x, facts) for x in sides)
    return not _no_tensor(test, facts) and facts.kinds.of(test).is_tensor


def _no_tensor(e: ast.expr, facts: Facts) -> bool:
    """True where the text alone says that an expression is no tensor, whatever its names hold.

    `len(x)`, `isinstance(x, C)`, `x.dtype`, `x.shape[0]`, `torch.float16`; what is known of the values is dearer.
    """
    match e:
        case ast.Constant():
            return True
        case ast.UnaryOp():
            return _no_tensor(e.operand, facts)
        case ast.Subscript(value=ast.Attribute(attr="shape") as shape):
            return _no_tensor(shape, facts) and isinstance(e.slice, (ast.Constant, ast.UnaryOp))
        case ast.Call(func=ast.Name()):
            builtin = (facts.names.qualified(e.func) or "").partition("builtins.")[2]
            return builtin in HOST_BUILTINS
        case ast.Attribute(value=ast.Name(id=name)):
            owner = facts.classes.owner(e)
            if e.attr in ("shape", "dtype", "device", "ndim"):
                return owner is None or owner[1] != name
            qualified = facts.names.qualified(e)
            return qualified is not None and not qualified.startswith(".")
    return False


def _evidence(test: ast.expr, facts: Facts) -> Evidence:
    if isinstance(test, (ast.BoolOp, ast.UnaryOp, ast.Compare, ast.Call)):
        for node in walk(test):
            if isinstance(node, ast.expr) and facts.kinds.of(node).tag is Tag.TENSOR:
                value = facts.kinds.of(node)
                return Evidence(value.level, value.because or "it is computed from tensors")
    value = facts.kinds.of(test)
    return Evidence(value.level, value.because or "it is a tensor")


def graph_form(test: ast.expr, facts: Facts, code: Code, number: str | None = None) -> str | NoFix:
    """The condition as one tensor expression: `and`, `or`, `not` become `&`, `|`, `~` on 0-d bool tensors.

    `code` gives the source text of a node. A lone tensor stays as it is: its truth is `!= 0`, as in the branch.
    `number` names the helper `_number`, where the condition may as well be a bool outside of compiled code.
    """
    if isinstance(test, (ast.BoolOp, ast.UnaryOp)) and (isinstance(test, ast.BoolOp) or isinstance(test.op, ast.Not)):
        text = _combined(test, facts, code)
        return text if isinstance(text, NoFix) or isinstance(test, ast.UnaryOp) else text[1:-1]
    bare = unwrapped(test, facts)
    if not facts.kinds.of(bare).is_tensor:
        return compared(test, facts, code, number) or NoFix(f"`{ast.unparse(test)}` is decided on the host")
    return str(code(bare))


def value_form(node: ast.BoolOp, facts: Facts, code: Code) -> str | None:
    """`a and b` of 0-d bool tensors whose value is used, as `a & b`; None where it is a condition, or is not legal."""
    parent = facts.names.parent(node)
    if isinstance(parent, (ast.BoolOp, ast.UnaryOp, ast.comprehension)) or getattr(parent, "test", None) is node:
        return None
    if isinstance(parent, ast.Call) and facts.names.qualified(parent.func) == "builtins.bool":
        return None
    if any(
        facts.kinds.of(v).shape != SCALAR
        or facts.kinds.of(v).dtype != BOOL
        or not isinstance(v, (ast.Call, ast.Compare))
        for v in node.values
    ):
        return None
    text = _combined(node, facts, code)
    return text if isinstance(text, str) else None


def is_guard(node: ast.AST) -> bool:
    """An `if` with an arm that only raises belongs to `tensor-guard` (TR103)."""
    return isinstance(node, ast.If) and any(
        side and isinstance(side[-1], ast.Raise) for side in (node.body, node.orelse)
    )


def unwrapped(test: ast.expr, facts: Facts) -> ast.expr:
    """`bool(t)`, `torch.is_nonzero(t)` and `t.item()` as conditions are `t`."""
    if isinstance(test, ast.Call) and len(test.args) == 1 and facts.names.qualified(test.func) in _TRUTHS:
        return test.args[0]
    if (
        isinstance(test, ast.Call)
        and isinstance(test.func, ast.Attribute)
        and test.func.attr == "item"
        and not test.args
    ):
        return test.func.value
    return test


def _combined(test: ast.expr, facts: Facts, code: Code) -> str | NoFix:
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _combined(test.operand, facts, code)
        return inner if isinstance(inner, NoFix) else f"~{inner}"
    if isinstance(test, ast.BoolOp):
        sides = [_combined(v, facts, code) for v in test.values]
        refused = next((s for s in sides if isinstance(s, NoFix)), None)
        if refused is not None:
            return refused
        doubtful = next((v for v in test.values[1:] if not total(v, facts)), None)
        if doubtful is not None:
            return NoFix(f"`{ast.unparse(doubtful)}` may raise where the operands before it decide alone")
        return merged(test, facts, code) or "(" + SIGNS[type(test.op)].join(str(s) for s in sides) + ")"
    bare = unwrapped(test, facts)
    value = facts.kinds.of(bare)
    if not value.is_tensor and (text := compared(test, facts, code)) is not None:
        return f"({text})"
    if not value.is_tensor:
        return NoFix(f"`{ast.unparse(test)}` mixes a Python value into a condition on tensors")
    if value.shape != SCALAR:
        return NoFix(f"`{ast.unparse(bare)}` is not known to be a 0-d tensor")
    text = str(code(bare))
    tight = isinstance(bare, (ast.Name, ast.Call, ast.Attribute, ast.Subscript))
    if value.dtype == BOOL:
        return text if tight else f"({text})"
    return f"({text} != 0)" if tight else f"(({text}) != 0)"


def total(expr: ast.expr, facts: Facts, truth: bool = False, dtypes: bool = False) -> bool:
    """True where evaluating the expression (and asking its `truth`) raises for no value and no size of its tensors.

    With `dtypes`, for no dtype of theirs either: `x.mean()` is an error for integers.
    """
    if dtypes and any(_needs_float(n, facts) for n in walk(expr)):
        return False
    asked = [expr] if truth else []
    tested: set[ast.expr] = set()  # `x is None` takes anything
    for node in walk(expr):
        if isinstance(node, ast.Compare) and all(isinstance(o, (ast.Is, ast.IsNot)) for o in node.ops):
            tested |= {node.left, *node.comparators}
        if not (node in tested and isinstance(node, ast.Name)) and not _raises_never(node, facts):
            return False
        if isinstance(node, ast.BoolOp):
            asked += node.values
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            asked.append(node.operand)
        elif isinstance(node, ast.IfExp):
            asked.append(node.test)
    whole = (a for a in asked if not isinstance(a, (ast.BoolOp, ast.UnaryOp)))
    return all(not facts.kinds.of(a).is_tensor or facts.kinds.of(a).shape == SCALAR for a in whole)


def _raises_never(node: ast.AST, facts: Facts) -> bool:
    """The same of one node, its children apart."""
    match node:
        case ast.Call():
            return _call_raises_never(node, facts)
        case ast.Compare():
            sides = [node.left, *node.comparators]
            if all(isinstance(o, (ast.Is, ast.IsNot)) for o in node.ops):
                return True
            known = all(facts.kinds.of(s).tag in (Tag.TENSOR, Tag.HOST) or _setting(s, facts) for s in sides)
            return known and not any(isinstance(o, (ast.In, ast.NotIn)) for o in node.ops) and _fit(sides, facts)
        case ast.BinOp(op=ast.Div()):
            return facts.kinds.of(node).is_tensor and _fit([node.left, node.right], facts)
        case ast.BinOp():
            rare = isinstance(node.op, (ast.FloorDiv, ast.Mod, ast.Pow, ast.MatMult, ast.LShift, ast.RShift))
            return not rare and _fit([node.left, node.right], facts)
        case ast.UnaryOp(op=ast.Invert()):
            return category(facts.kinds.of(node.operand).dtype) in ("bool", "int")
        case ast.Name(ctx=ast.Load()):
            return not facts.kinds.of(node).optional and always_so(node, facts)
        case ast.Attribute(ctx=ast.Load()):
            return not facts.kinds.of(node).optional
    return not isinstance(node, _MAY_RAISE)


def _call_raises_never(call: ast.Call, facts: Facts) -> bool:
    func, qualified = call.func, facts.names.qualified(call.func) or ""
    on = func.value if isinstance(func, ast.Attribute) and not qualified else None
    name = func.attr if isinstance(func, ast.Attribute) else qualified.rpartition(".")[2]
    if name not in TOTAL or any(isinstance(a, ast.Starred) for a in call.args) or any(not k.arg for k in call.keywords):
        return False
    if on is None and qualified.startswith("builtins."):
        values = [facts.kinds.of(a) for a in call.args]
        # The int of NaN or of an infinity is an error.
        safe = ("bool", "int") if name == "int" else ("bool", "int", "float")
        exact = all(v.detail in safe or (v.is_tensor and category(v.dtype) in safe[:2]) for v in values)
        return name in ("bool", "float", "int", "abs") and _scalar(call.args, facts) and (name != "int" or exact)
    if on is None and torch_api.function(qualified) is None:
        return False
    given = [*([on] if on is not None else []), *call.args]
    if not facts.kinds.of(given[0]).is_tensor if given else True:
        return False
    if name == "item":
        return facts.kinds.of(given[0]).shape == SCALAR
    rest = [*given[1:], *(k.value for k in call.keywords if k.arg in ("dim", "other", "min", "max"))]
    if name in ("size", "numel", "dim"):
        return not rest
    # A dimension that a 0-d tensor has too, and operands that fit.
    small = all(ast.unparse(a) in ("0", "-1") for a in rest if facts.kinds.of(a).detail == "int")
    elementwise = (op := torch_api.method(name)) is not None and op.elementwise
    return (elementwise or small) and _fit(given, facts)


def _needs_float(node: ast.AST, facts: Facts) -> bool:
    """True for an operation on a tensor that is not known to be floating as it has to be."""
    if not isinstance(node, ast.Call):
        return False
    op = torch_api.function(facts.names.qualified(node.func) or "")
    given = node.args[0] if op is not None and node.args else None
    if isinstance(node.func, ast.Attribute) and facts.kinds.of(node.func.value).is_tensor:
        op, given = torch_api.method(node.func.attr), node.func.value
    if op is None or given is None or not needs_float(op):
        return False
    # The operation itself is no evidence for what stands before it.
    return category(facts.kinds.of(given).dtype) != "float"


def _fit(exprs: list[ast.expr], facts: Facts) -> bool:
    """True where the operands broadcast: numbers, 0-d tensors, tensors of one shape, and what the instance holds."""
    values = [facts.kinds.of(e) for e in exprs if not _setting(e, facts)]
    if any(v.tag is Tag.UNKNOWN for v in values) and any(v.is_tensor for v in values):
        return False
    shapes = {v.shape for v in values if v.is_tensor and v.shape != SCALAR}
    return len({s for s in shapes if s is None or s[0] != "attribute"}) <= 1


def _setting(expr: ast.expr, facts: Facts) -> bool:
    """True for `self.limit`, of which nothing is known; it is taken for a number."""
    owner = facts.classes.owner(expr)
    return owner is not None and is_attribute_of(expr, owner[1]) and facts.kinds.of(expr).tag is Tag.UNKNOWN


def _scalar(args: list[ast.expr], facts: Facts) -> bool:
    return all(facts.kinds.of(a).tag is Tag.HOST or facts.kinds.of(a).shape == SCALAR for a in args)


__all__ = ["Level", "Predicate", "graph_form", "holds_tensor", "split", "total", "unwrapped"]
