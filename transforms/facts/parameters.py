"""What a parameter is, from its annotation, its default and the way the function uses it."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from ..model import Level
from . import torch_api
from .classes import FunctionNode
from .conventions import CASTS, SHARED
from .values import NOTHING, UNKNOWN, Tag, Value

if TYPE_CHECKING:
    from . import Facts

TENSOR_TYPES = frozenset(
    {
        "torch.Tensor",
        "torch.nn.Parameter",
        "torch.nn.parameter.Parameter",
        "torch.FloatTensor",
        "torch.LongTensor",
        "torch.BoolTensor",
    }
    | {
        "torch.IntTensor",
        "torch.HalfTensor",
        "torch.DoubleTensor",
        "torch.ByteTensor",
        "torchtyping.TensorType",
        "torch._tensor.Tensor",
    }
)
HOST_TYPES = {"int": "int", "float": "float", "bool": "bool", "str": "str", "bytes": "bytes", "complex": "complex"}
SEQUENCE_TYPES = frozenset(
    {
        "list",
        "tuple",
        "dict",
        "set",
        "frozenset",
        "List",
        "Tuple",
        "Dict",
        "Sequence",
        "Iterable",
        "Mapping",
        "Iterator",
    }
)
PASSING = frozenset({"to", "cpu", "cuda", "type"})  # shared by tensors and modules; what is called on the result tells
# Evidence of an array that numpy arrays share with tensors; in torch code it is a tensor by assumption.
ARRAY_ATTRIBUTES = frozenset({"shape", "ndim", "dtype", "device", "requires_grad", "is_cuda", "grad"})


def value_of(parameter: ast.arg, default: ast.expr | None, function: FunctionNode, facts: Facts) -> Value:
    """The value of a parameter at the start of the function."""
    name = parameter.arg
    found = _annotated(parameter.annotation, facts) or _defaulted(default)
    if found is None or (found.tag is Tag.NONE and not found.detail):
        by_use = used(name, function, facts)
        found = replace(by_use, optional=True) if found is not None and found.tag is Tag.NONE else by_use
    if isinstance(default, ast.Constant) and default.value is None:
        found = replace(found, optional=True)
    symbol = ("of", name)
    known = found.dtype if found.dtype is not None else symbol
    return replace(found, dtype=known, shape=symbol, roots=frozenset({name}), deps=frozenset({name}))


def _annotated(annotation: ast.expr | None, facts: Facts) -> Value | None:
    """The value that an annotation claims, None where it says nothing useful."""
    if annotation is None:
        return None
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            parsed = ast.parse(annotation.value, mode="eval").body
        except SyntaxError:
            return None
        return _from_text(parsed, annotation, facts)
    return _from_text(annotation, annotation, facts)


def _from_text(node: ast.expr, at: ast.AST, facts: Facts) -> Value | None:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        sides = [_from_text(s, at, facts) for s in (node.left, node.right)]
        return _union(sides)
    if isinstance(node, ast.Constant) and node.value is None:
        return Value(Tag.NONE)
    if isinstance(node, ast.Subscript):
        head = _dotted(node.value)
        last = head.rpartition(".")[2]
        inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if last == "Optional":
            found = _from_text(inner[0], at, facts)
            return replace(found, optional=True) if found else None
        if last == "Union":
            return _union([_from_text(i, at, facts) for i in inner])
        if last == "Annotated":
            return _from_text(inner[0], at, facts)
        if last in SEQUENCE_TYPES:
            return Value(Tag.SEQUENCE, because="it is annotated so")
        if last in (
            "Float",
            "Int",
            "Bool",
            "Shaped",
            "Num",
            "Inexact",
            "Integer",
            "Real",
            "UInt",
            "Complex",
            "Key",
            "TensorType",
        ):
            return Value(Tag.TENSOR, because="it is annotated as a tensor")
        return None
    dotted = _dotted(node)
    if not dotted:
        return None
    meant = facts.names.resolve(dotted, at, annotation=True) or ""
    if meant in TENSOR_TYPES:
        return Value(Tag.TENSOR, because="it is annotated as a tensor")
    if meant.startswith("builtins."):
        plain = meant.removeprefix("builtins.")
        if plain in HOST_TYPES:
            return Value(Tag.HOST, because="it is annotated so", detail=HOST_TYPES[plain])
        if plain in SEQUENCE_TYPES:
            return Value(Tag.SEQUENCE, because="it is annotated so")
    if meant in ("torch.dtype", "torch.device", "torch.Size"):
        return Value(Tag.HOST, because="it is annotated so", detail=meant.removeprefix("torch."))
    if meant == "torch.nn.Module":
        return Value(Tag.MODULE, because="it is annotated so")
    return None


def _union(sides: list[Value | None]) -> Value | None:
    real = [s for s in sides if s is not None and s.tag is not Tag.NONE]
    optional = any(s is not None and s.tag is Tag.NONE for s in sides)
    if len({s.tag for s in real}) == 1 and len(real) + optional == len(sides):
        return replace(real[0], optional=optional or any(s.optional for s in real))
    return None


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        head = _dotted(node.value)
        return f"{head}.{node.attr}" if head else ""
    return ""


def _defaulted(default: ast.expr | None) -> Value | None:
    if isinstance(default, ast.UnaryOp):
        default = default.operand
    if isinstance(default, ast.Constant) and default.value is not None and default.value is not ...:
        return Value(Tag.HOST, Level.ASSUMED, "its default is a Python value", detail=type(default.value).__name__)
    if isinstance(default, (ast.Tuple, ast.List, ast.Dict, ast.Set)):
        return Value(Tag.SEQUENCE, Level.ASSUMED, "its default is a Python container")
    if isinstance(default, ast.Constant) and default.value is None:
        return Value(Tag.NONE)
    return None


def used(name: str, function: FunctionNode, facts: Facts) -> Value:
    """What the uses of a name in the function say, the strongest first."""
    best = UNKNOWN
    for node in ast.walk(function):
        if not (isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)):
            continue
        found = _one_use(node, facts)
        if found is not None and (
            best.tag is Tag.UNKNOWN or (found.level is Level.PROVED and best.level is not Level.PROVED)
        ):
            best = found
    return best


def _one_use(node: ast.Name, facts: Facts) -> Value | None:
    parent = facts.names.parent(node)
    name = node.id
    if isinstance(parent, ast.Call) and node in parent.args:
        qualified = facts.names.qualified(parent.func) or ""
        op = torch_api.function(qualified)
        first = parent.args[0] is node
        if op is not None and first and op.takes_tensor:
            return Value(Tag.TENSOR, Level.PROVED, f"`{name}` is given to `{qualified}` on line {parent.lineno}")
        if qualified == "builtins.range":
            return Value(Tag.HOST, Level.ASSUMED, f"`range({name})` on line {parent.lineno}", detail="int")
        if isinstance(parent.func, ast.Attribute) and isinstance(parent.func.value, ast.Name) and first:
            owner = facts.classes.owner(parent)
            made = owner[0].attribute(parent.func.attr) if owner and parent.func.value.id == owner[1] else []
            if len(made) == 1 and isinstance(made[0], ast.Call):
                layer = torch_api.layer(facts.names.qualified(made[0].func) or "")
                if layer is not None and layer.takes_tensor:
                    return Value(Tag.TENSOR, Level.PROVED, f"`{name}` is given to a layer on line {parent.lineno}")
    if isinstance(parent, ast.Attribute) and parent.value is node:
        call = facts.names.parent(parent)
        called = isinstance(call, ast.Call) and call.func is parent
        if called and parent.attr not in SHARED and torch_api.method(parent.attr) is not None:
            return Value(Tag.TENSOR, Level.ASSUMED, f"`{name}.{parent.attr}(…)` on line {parent.lineno}")
        if (
            called
            and parent.attr in (*CASTS, *PASSING)
            and isinstance(chained := facts.names.parent(call), ast.Attribute)
        ):
            if chained.attr not in SHARED and torch_api.method(chained.attr) is not None:
                return Value(
                    Tag.TENSOR, Level.ASSUMED, f"`{name}.{parent.attr}().{chained.attr}` on line {parent.lineno}"
                )
        if not called and parent.attr in ARRAY_ATTRIBUTES:
            return Value(Tag.TENSOR, Level.ASSUMED, f"`{name}.{parent.attr}` on line {parent.lineno}")
    if isinstance(parent, ast.Subscript) and parent.value is node:
        above = facts.names.parent(parent)
        called = isinstance(above, ast.Attribute) and isinstance(facts.names.parent(above), ast.Call)
        if (
            called
            and isinstance(above, ast.Attribute)
            and above.attr not in SHARED
            and torch_api.method(above.attr) is not None
        ):
            return Value(
                Tag.TENSOR, Level.ASSUMED, f"`.{above.attr}(…)` of an element of `{name}` on line {above.lineno}"
            )
    if isinstance(parent, ast.Subscript) and parent.value is node and _tensor_index(parent.slice):
        return Value(Tag.TENSOR, Level.ASSUMED, f"`{name}` is indexed like a tensor on line {parent.lineno}")
    if isinstance(parent, (ast.Compare, ast.UnaryOp, ast.BinOp)) and not isinstance(
        getattr(parent, "op", None), ast.Not
    ):
        return _operand_use(node, parent, facts)
    return None


def _operand_use(node: ast.Name, parent: ast.expr, facts: Facts) -> Value | None:
    """`(p == 0).any()`, `any(p >= 0)`: what is done with a comparison or a sum shows that it is elementwise."""
    above = facts.names.parent(parent)
    if isinstance(above, ast.Attribute):
        call = facts.names.parent(above)
        if (
            isinstance(call, ast.Call)
            and call.func is above
            and torch_api.method(above.attr) is not None
            and above.attr not in SHARED
        ):
            return Value(
                Tag.TENSOR,
                Level.ASSUMED,
                f"`.{above.attr}(…)` of what is computed from `{node.id}` on line {above.lineno}",
            )
    if isinstance(above, ast.Call) and parent in above.args:
        qualified = facts.names.qualified(above.func) or ""
        op = torch_api.function(qualified)
        elementwise = isinstance(parent, ast.Compare) and qualified in ("builtins.any", "builtins.all")
        if elementwise or (op is not None and op.takes_tensor and above.args[0] is parent):
            return Value(
                Tag.TENSOR,
                Level.ASSUMED,
                f"`{qualified.removeprefix('builtins.')}(…)` of what is computed from `{node.id}`",
            )
    return None


def _tensor_index(index: ast.expr) -> bool:
    """An index that lists and dicts do not take: several axes with slices, None or an ellipsis."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    special = [p for p in parts if isinstance(p, ast.Slice) or (isinstance(p, ast.Constant) and p.value in (None, ...))]
    return bool(special) and (len(parts) > 1 or not isinstance(index, ast.Slice))


def defaults(function: FunctionNode) -> dict[str, ast.expr | None]:
    """Every parameter's default, None where it has none."""
    a = function.args
    positional = [*a.posonlyargs, *a.args]
    padded: list[ast.expr | None] = [None] * (len(positional) - len(a.defaults)) + list(a.defaults)
    found = {p.arg: d for p, d in zip(positional, padded)}
    return found | {p.arg: d for p, d in zip(a.kwonlyargs, a.kw_defaults)}


def start(function: FunctionNode, facts: Facts) -> dict[str, Value]:
    """The values of all parameters where the function begins."""
    given = defaults(function)
    env: dict[str, Value] = {}
    owner = facts.classes.of_function(function)
    a = function.args
    for i, parameter in enumerate([*a.posonlyargs, *a.args, *a.kwonlyargs]):
        if (
            owner is not None
            and i == 0
            and not any(facts.names.qualified(d) == "builtins.staticmethod" for d in function.decorator_list)
        ):
            tag = Tag.MODULE if owner.is_module else Tag.INSTANCE
            env[parameter.arg] = Value(tag, detail=owner.path, deps=NOTHING, roots=frozenset({"self"}))
        else:
            env[parameter.arg] = value_of(parameter, given[parameter.arg], function, facts)
    for rest in (a.vararg, a.kwarg):
        if rest is not None:
            env[rest.arg] = Value(Tag.SEQUENCE, roots=frozenset({rest.arg}), deps=frozenset({rest.arg}))
    return env
