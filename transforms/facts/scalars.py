"""Numbers read out of 0-d tensors that only meet tensors again: they may stay tensors."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ..model import NoFix
from ..trees import named, walk
from . import torch_api
from .classes import FunctionNode
from .flow import COMPREHENSIONS, walk_scope
from .selections import LAST_LAYERS
from .values import SCALAR, UNKNOWN, Symbol, Tag, Value, category, has_dimensions, settle

if TYPE_CHECKING:
    from . import Facts

# With a partner of the same dtype these give the same bits and gradients for a Python number and for the 0-d tensor
# that it was read from, on every device. Others do not: CUDA divides by a number by multiplying with its reciprocal,
# and takes a number in more digits than the half precision tensor beside it has.
EXACT = (ast.Add, ast.Sub, ast.Mult)
CLOSE = (*EXACT, ast.Div)
ORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
BOUNDS = frozenset({"clamp", "clamp_min", "clamp_max", "clip"})


@dataclass(frozen=True, slots=True)
class Read:
    """A read whose number only meets tensors.

    Attributes:
        node: the call that reads.
        tensor: what is read.
        form: "tensor" where the tensor itself may stand for the number, also outside of compiled code; "scalar" where
            it may while compiling; "number" where that takes a tensor of double precision.
        changes: what the rewrite changes.
    """

    node: ast.Call
    tensor: ast.expr
    form: Literal["tensor", "scalar", "number"]
    changes: tuple[str, ...]


@dataclass
class _Meeting:
    """What the number read out of `tensor` meets, as far as it was followed."""

    tensor: ast.expr
    tensors: int = 0
    close: str = ""  # a partner that must meet the tensor in its own dtype
    wide: bool = False  # Python computes with the number, in double precision
    dual: bool = False  # the bits may differ
    changes: tuple[str, ...] = ()
    refusal: NoFix | None = None


class Scalars:
    """The reads of one file that need not happen."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._reads: dict[int, Read | NoFix | None] = {}
        self._dimensional: dict[FunctionNode, set[Symbol]] = {}

    def read(self, call: ast.Call) -> Read | NoFix | None:
        """The read that a call makes; None where it makes none, or where no tensor meets the number."""
        if id(call) not in self._reads:
            self._reads[id(call)] = self._find(call)
        return self._reads[id(call)]

    def stays(self, call: ast.Call) -> bool:
        """True where the rewrite keeps what the call reads in the graph, and changes nothing."""
        around = self._facts.names.parent(call)
        outer = isinstance(around, ast.Call) and call in around.args and read_by(around, self._facts)[0] is not None
        found = self.read(around if outer and isinstance(around, ast.Call) else call)
        return isinstance(found, Read) and not found.changes

    def _find(self, call: ast.Call) -> Read | NoFix | None:
        tensor, how = read_by(call, self._facts)
        function = self._facts.function_of(call)
        if tensor is None or function is None:
            return None
        meeting = _Meeting(tensor)
        self._follow(call, meeting)
        if not meeting.tensors:
            return None
        value = self._facts.kinds.of(tensor)
        floats = self._facts.kinds.floats(function)
        kind = category(settle(value.dtype, floats), floats)
        if meeting.refusal is None:
            meeting.refusal = self._unfit(tensor, value, function)
        if how == "int" and kind != "int":
            return meeting.refusal or NoFix("`int(…)` cuts off a fraction, unless the tensor holds integers")
        if how == "float" and kind != "float":
            if kind is not None:
                return meeting.refusal or NoFix("`float(…)` of integers makes other dtypes than the tensor does")
            meeting.changes += (f"`{ast.unparse(tensor)}` is taken to be floating",)
        if meeting.close and meeting.wide:
            reason = f"`{meeting.close}` is not known to be a floating tensor of one dimension or more"
            meeting.refusal = meeting.refusal or NoFix(reason)
        if meeting.refusal is not None:
            return meeting.refusal
        form: Literal["scalar", "number"] = "scalar" if meeting.close else "number"
        changes = tuple(dict.fromkeys(meeting.changes))
        return Read(call, tensor, form if meeting.dual or meeting.wide else "tensor", changes)

    def _unfit(self, tensor: ast.expr, value: Value, function: FunctionNode) -> NoFix | None:
        """Why the tensor can not stand for the number."""
        if value.shape != SCALAR:
            return NoFix(f"`{ast.unparse(tensor)}` is not known to be a 0-d tensor")
        effect = self._facts.effects.of(function.body)
        changed = effect.mutates | effect.stores
        own = ast.unparse(tensor) if isinstance(tensor, (ast.Name, ast.Attribute)) else ""
        if own in changed or value.roots & changed or (value.roots and "?" in changed):
            return NoFix(f"`{ast.unparse(tensor)}` may be changed in place after it is read")
        return None

    # -- what the number meets -----------------------------------------------------------------------------------------
    def _follow(self, number: ast.expr, out: _Meeting) -> None:
        """Follow the number from an expression that is it, or that Python computes from it."""
        parent = self._facts.names.parent(number)
        match parent:
            case ast.BinOp():
                other = parent.right if number is parent.left else parent.left
                self._arithmetic(parent, number, other, out)
            case ast.UnaryOp(op=ast.USub() | ast.UAdd()):
                out.wide = True
                self._follow(parent, out)
            case ast.Compare() if len(parent.ops) == 1 and isinstance(parent.ops[0], ORDER):
                other = parent.comparators[0] if number is parent.left else parent.left
                self._meet(other, parent, number, out)
            case ast.Call() if self._bounds(parent, number):
                self._meet(self._bounded(parent), parent, number, out)
            case ast.AugAssign(target=ast.Name(id=name)) if isinstance(parent.op, CLOSE):
                self._meets(self._facts.kinds.before(parent).get(name, UNKNOWN), name, parent, number, out)
            case ast.keyword():
                self._keyword(parent, number, out)
            case ast.Assign() if len(parent.targets) == 1 and isinstance(parent.targets[0], ast.Name):
                self._named(parent, parent.targets[0].id, out)
            case _:
                self._lost(number, out)

    def _keyword(self, keyword: ast.keyword, number: ast.expr, out: _Meeting) -> None:
        call = self._facts.names.parent(keyword)
        if isinstance(call, ast.Call) and self._bounds(call, number):
            self._meet(self._bounded(call), call, number, out)
        else:
            self._lost(number, out)

    def _lost(self, number: ast.expr, out: _Meeting) -> None:
        reason = f"`{ast.unparse(number)}` is also used as a Python number on line {number.lineno}"
        out.refusal = out.refusal or NoFix(reason)

    def _named(self, s: ast.Assign, name: str, out: _Meeting) -> None:
        """`s = x.item()`: every reader of the name, which nothing else binds."""
        function = self._facts.function_of(s)
        assert function is not None
        used = named(function, name)
        loads = [n for n in used if isinstance(n.ctx, ast.Load)]
        flow = self._facts.flow(function)
        if len(used) - len(loads) != 1 or name in flow.parameters or name in flow.always_live:
            out.refusal = out.refusal or NoFix(f"`{name}` is bound more than once")
        for load in loads:
            self._follow(load, out)

    def _arithmetic(self, e: ast.BinOp, number: ast.expr, other: ast.expr, out: _Meeting) -> None:
        if self._facts.kinds.of(other).tag is Tag.TENSOR:
            out.wide |= not isinstance(e.op, CLOSE) or (isinstance(e.op, ast.Div) and number is e.left)
            if not isinstance(e.op, (*CLOSE, ast.Pow)):
                self._lost(number, out)
            self._meet(other, e, number, out)
            return
        out.wide = True
        constant = other.value if isinstance(other, ast.Constant) and number is e.left else None
        divides = isinstance(e.op, ast.Div) and bool(constant)
        squares = isinstance(e.op, ast.Pow) and constant == 2
        plain = isinstance(e.op, (ast.Add, ast.Sub, ast.Mult))
        if self._facts.kinds.of(other).tag is not Tag.HOST or not (divides or squares or plain):
            self._lost(number, out)
            return
        self._follow(e, out)

    def _meet(self, other: ast.expr | None, e: ast.expr, number: ast.expr, out: _Meeting) -> None:
        if other is None:
            self._lost(number, out)
        else:
            self._meets(self._facts.kinds.of(other), ast.unparse(other), e, number, out)

    def _meets(self, value: Value, text: str, e: ast.AST, number: ast.expr, out: _Meeting) -> None:
        """The number meets a tensor: is the result the same with the 0-d tensor?"""
        function = self._facts.function_of(e)
        if function is None or value.tag is not Tag.TENSOR:
            self._lost(number, out)
            return
        out.tensors += 1
        floats = self._facts.kinds.floats(function)
        dtype, own = settle(value.dtype, floats), settle(self._facts.kinds.of(out.tensor).dtype, floats)
        same = dtype is not None and dtype == own
        out.dual |= not same or isinstance(getattr(e, "op", None), ast.Div)
        if category(dtype, floats) != "float" or not self._has_dimensions(value.shape, function):
            # The same dtype will do for a partner that may have no dimension, or not be floating.
            out.close = out.close or text
            counts = category(own, floats) in ("int", "bool") and category(dtype, floats) == "float"
            out.wide |= not (same or counts) or isinstance(e, ast.Call)
            if counts and not same:
                out.changes += ("compiled, a count above 65504 is infinite beside a number in half precision",)
        if not _origins(value) & (_origins(self._facts.kinds.of(out.tensor)) | {"self"}):
            out.changes += ("tensors of two devices, which a number can meet, no longer may",)

    def _bounds(self, call: ast.Call, number: ast.expr) -> bool:
        """`x.clamp(min=number)`, with no other bound, and `x.masked_fill(mask, number)`."""
        if not isinstance(call.func, ast.Attribute) or self._bounded(call) is None:
            return False
        name, method = call.func.attr, self._facts.names.qualified(call.func) is None
        given = [*call.args[0 if method else 1 :], *(k.value for k in call.keywords)]
        if name in BOUNDS:
            return given == [number]
        return name == "masked_fill" and len(given) == 2 and given[1] is number

    def _bounded(self, call: ast.Call) -> ast.expr | None:
        """The tensor of such a call."""
        qualified = self._facts.names.qualified(call.func)
        if qualified is None:
            return call.func.value if isinstance(call.func, ast.Attribute) else None
        known = torch_api.function(qualified) is not None and qualified.startswith("torch.")
        return call.args[0] if known and call.args else None

    # -- dimensions ----------------------------------------------------------------------------------------------------
    def _has_dimensions(self, shape: Symbol | None, function: FunctionNode) -> bool:
        """True for a shape that has dimensions, because the function could not run otherwise."""
        if shape is None or shape == SCALAR:
            return False
        if function not in self._dimensional:
            self._dimensional[function] = {s for b in _always(function.body) for s in self._needed(b) if s is not None}
        known = self._dimensional[function]
        parts: Sequence[Symbol] = list(shape[1]) if shape[0] == "broadcast" else [shape]
        return any(has_dimensions(p) or p in known or (p[0] == "index" and "Slice(" in p[2]) for p in parts)

    def _needed(self, statement: ast.stmt) -> Iterator[Symbol | None]:
        """The shapes of which the statement needs a dimension."""
        kinds = self._facts.kinds
        if any(isinstance(n, (ast.IfExp, ast.BoolOp, *COMPREHENSIONS)) for n in walk_scope(statement)):
            return
        for node in walk_scope(statement):
            match node:
                case ast.Subscript(value=ast.Attribute(attr="shape", value=base)):
                    yield kinds.of(base).shape
                case ast.Subscript(value=base) if kinds.of(base).tag is Tag.TENSOR and _takes_axis(node.slice):
                    yield kinds.of(base).shape
                case ast.Assign(targets=[ast.Tuple()], value=ast.Attribute(attr="shape", value=base)):
                    yield kinds.of(base).shape
                case ast.BinOp(op=ast.MatMult()):
                    yield kinds.of(node.left).shape
                    yield kinds.of(node.right).shape
                case ast.Call(func=ast.Attribute(attr="size", value=base), args=[ast.Constant()]):
                    yield kinds.of(base).shape
                case ast.Call(args=[given, *_]) if kinds.of(node.func).detail in LAST_LAYERS - {"torch.nn.Identity"}:
                    yield kinds.of(given).shape


def read_by(call: ast.Call, facts: Facts) -> tuple[ast.expr | None, str]:
    """The tensor that `x.item()`, `float(x)` or `int(x)` reads, and by which of them."""
    if isinstance(call.func, ast.Attribute) and call.func.attr == "item" and not call.args and not call.keywords:
        tensor = call.func.value
        return (tensor, "item") if facts.kinds.of(tensor).tag is Tag.TENSOR else (None, "")
    name = (facts.names.qualified(call.func) or "").removeprefix("builtins.")
    if name in ("float", "int") and len(call.args) == 1 and not call.keywords:
        inner = call.args[0]
        if isinstance(inner, ast.Call) and read_by(inner, facts)[1] == "item":
            return read_by(inner, facts)[0], name
        return (inner, name) if facts.kinds.of(inner).tag is Tag.TENSOR else (None, "")
    return None, ""


def _origins(value: Value) -> set[str]:
    """The inputs that a value is made of, all that an instance holds being one."""
    return {"self" if d.startswith("self.") else d for d in value.deps}


def _always(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that every run of the block which ends well has carried out."""
    for s in body:
        if isinstance(s, (ast.With, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return)):
            yield s
        if any(isinstance(n, ast.Return) for n in walk(s)):
            return


def _takes_axis(index: ast.expr) -> bool:
    """True for an index that a 0-d tensor does not take."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    axes = [p for p in parts if isinstance(p, ast.Slice) or (isinstance(p, ast.Constant) and type(p.value) is int)]
    return bool(axes)


__all__ = ["Read", "Scalars", "read_by"]
