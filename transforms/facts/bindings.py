"""What names hold after assignments, and where a condition holds."""

from __future__ import annotations

import abc
import ast
import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..model import Level
from ..trees import named, types, walk
from . import torch_api
from .applied import Applied
from .classes import FunctionNode
from .values import NOTHING, UNKNOWN, Symbol, Tag, Value, join, replace

if TYPE_CHECKING:
    from . import Facts
    from .kinds import Env


# Operations in place that change the shape, or the whole tensor behind the name.
RESHAPING = frozenset({"unsqueeze_", "squeeze_", "transpose_", "t_", "swapaxes_", "swapdims_", "as_strided_"})
RESHAPING |= {"resize_", "resize_as_", "set_", "resize_as_sparse_", "sparse_resize_", "rename_"}
HOST_KINDS = ("builtins.int", "builtins.float", "builtins.str", "builtins.bool")


class Bindings(Applied):
    """The part of the evaluator that knows names."""

    @abc.abstractmethod
    def arithmetic(self, e: ast.AST, op: ast.operator, a: Value, b: Value) -> Value:
        """See `Evaluator.arithmetic`."""

    def __init__(
        self, facts: Facts, values: dict[int, Value], floats: set[Symbol], function: FunctionNode | None = None
    ) -> None:
        self.facts = facts
        self.values = values
        self.floats = floats
        self.function = function
        self.shared = declared(function) if function is not None else NOTHING

    def bind(self, target: ast.expr, value: Value, env: Env) -> None:
        """Bind an assignment target."""
        match target:
            case ast.Name():
                env[target.id] = UNKNOWN if target.id in self.shared else self._held(target, value)
            case ast.Tuple() | ast.List():
                for i, element in enumerate(target.elts):
                    if isinstance(element, ast.Starred):
                        self.bind(element.value, Value(Tag.SEQUENCE, deps=value.deps, roots=value.roots), env)
                    elif value.items is not None and len(value.items) == len(target.elts):
                        self.bind(element, value.items[i].depending(value.deps), env)
                    elif value.tag is Tag.SEQUENCE and value.detail == "of tensors":
                        made = Value(
                            Tag.TENSOR,
                            value.level,
                            value.because,
                            dtype=value.dtype,
                            shape=("item", id(target), i),
                            roots=value.roots,
                            deps=value.deps,
                        )
                        self.bind(element, made, env)
                    else:
                        self.bind(element, self.element(value, target), env)
            case ast.Attribute() | ast.Subscript():
                base = self.of(target.value, env)
                if isinstance(target, ast.Subscript):
                    self.of(target.slice, env)
                elif target.attr == "data" and base.tag is not Tag.MODULE:
                    self._forget_shapes(target, env)

    def _held(self, target: ast.Name, value: Value) -> Value:
        """A value under a name: what a list holds is known only while nothing can add to it."""
        if value.tag is not Tag.SEQUENCE or self.function is None or (value.items is None and value.dtype is None):
            return value
        if all(self._only_read(n) for n in _loads(self.function, target.id)):
            return value
        return replace(value, items=None, dtype=None, detail="")

    def _only_read(self, name: ast.Name) -> bool:
        """True for a use of a list that leaves it as it is, and gives it to nobody who may change it."""
        parent = self.facts.names.parent(name)
        match parent:
            case ast.Attribute(attr="values" | "indices", ctx=ast.Load()):
                return getattr(self.facts.names.parent(parent), "func", None) is not parent
            case ast.Subscript(ctx=ast.Load()) | ast.For() | ast.comprehension() | ast.Return() | ast.Starred():
                return True
            case ast.Compare() | ast.BinOp() | ast.UnaryOp() | ast.BoolOp() | ast.FormattedValue() | ast.If():
                return True
            case ast.Assign(targets=[ast.Tuple() | ast.List()]):
                return True
            case ast.Call():
                qualified = self.facts.names.qualified(parent.func) or ""
                return name in parent.args and qualified.startswith(("torch.", "builtins."))
            case ast.keyword():
                call = self.facts.names.parent(parent)
                return isinstance(call, ast.Call) and (self.facts.names.qualified(call.func) or "").startswith("torch.")
        return False

    def reshaped(self, op: torch_api.Op, e: ast.Call, base: Value, env: Env) -> Value:
        """The tensor after an operation in place; the shapes of all tensors are forgotten where it may change one."""
        if op.name.rpartition(".")[2] not in RESHAPING:
            return base
        self._forget_shapes(e, env)
        return replace(base, shape=("node", id(e)))

    def _forget_shapes(self, at: ast.AST, env: Env) -> None:
        for name, value in env.items():
            if value.tag is Tag.TENSOR:
                env[name] = replace(value, shape=("node", id(at), name), dtype=("node", id(at), name))

    def rebound(self, at: ast.AST, env: Env, *inner: Env) -> None:
        """Bring what a part bound, which may not have run, into the environment around it."""
        if ast.NamedExpr not in types(at):
            return
        for name in {n.target.id for n in walk(at) if isinstance(n, ast.NamedExpr)}:
            given = [e[name] for e in inner if name in e]
            if given:
                found = given[0]
                for i, value in enumerate(given[1:]):
                    found = join(found, value, ("walrus", id(at), name, i))
                env[name] = found if name not in env else join(env[name], found, ("walrus", id(at), name))

    @contextlib.contextmanager
    def perhaps(self) -> Iterator[None]:
        """Evaluate what may not run: what it needs to be floating need not be so elsewhere."""
        before = set(self.floats)
        yield
        self.floats.intersection_update(before)

    def augment(self, s: ast.AugAssign, env: Env) -> None:
        """`target op= value`: in place for a tensor, a new value otherwise."""
        value = self.of(s.value, env)
        if not isinstance(s.target, ast.Name):
            self.bind(s.target, value, env)
            return
        old = env.get(s.target.id, UNKNOWN)
        new = self.arithmetic(s, s.op, old, value)
        self.bind(s.target, replace(old, deps=new.deps) if old.tag is Tag.TENSOR else new, env)

    def narrow(self, test: ast.expr, env: Env) -> tuple[Env, Env]:
        """The environments in which the test holds and does not hold."""
        inside, outside = dict(env), dict(env)
        match test:
            case ast.UnaryOp(op=ast.Not()):
                outside, inside = self.narrow(test.operand, env)
            case ast.BoolOp(op=ast.And()):
                for part in test.values:
                    inside = self.narrow(part, inside)[0]
            case ast.BoolOp(op=ast.Or()):
                for part in test.values:
                    outside = self.narrow(part, outside)[1]
            case ast.Compare(left=ast.Name(id=name), ops=[op], comparators=[ast.Constant(value=None)]) if name in env:
                if isinstance(op, (ast.IsNot, ast.NotEq)):
                    inside[name] = replace(env[name], optional=False)
                elif isinstance(op, (ast.Is, ast.Eq)):
                    outside[name] = replace(env[name], optional=False)
                    inside[name] = Value(Tag.NONE, deps=env[name].deps)
            case ast.Call(args=[ast.Name(id=name), *_]) if name in env:
                self._narrow_call(test, name, inside)
        return inside, outside

    def _narrow_call(self, test: ast.Call, name: str, inside: Env) -> None:
        """What `isinstance(x, T)` and `torch.is_tensor(x)` say where they hold."""
        asked = self.facts.names.qualified(test.func)
        kind = self.facts.names.qualified(test.args[1]) if len(test.args) == 2 else None
        known = replace(inside[name], level=Level.PROVED, because=f"`{ast.unparse(test.func)}` says so", optional=False)
        if asked == "torch.is_tensor" or (asked == "builtins.isinstance" and kind == "torch.Tensor"):
            inside[name] = replace(known, tag=Tag.TENSOR)
        elif asked == "builtins.isinstance" and kind in HOST_KINDS:
            inside[name] = replace(known, tag=Tag.HOST, detail=str(kind).removeprefix("builtins."))
        elif asked == "builtins.isinstance" and kind in ("builtins.list", "builtins.tuple", "builtins.dict"):
            inside[name] = replace(known, tag=Tag.SEQUENCE)


def declared(function: FunctionNode) -> frozenset[str]:
    """The names that `global` and `nonlocal` in the function, or inside of it, let other code rebind at any time."""
    if types(function).isdisjoint((ast.Global, ast.Nonlocal)):
        return NOTHING
    found = (n.names for n in walk(function) if isinstance(n, (ast.Global, ast.Nonlocal)))
    return NOTHING.union(*found)


def _loads(function: FunctionNode, name: str) -> list[ast.Name]:
    return [n for n in named(function, name) if isinstance(n.ctx, ast.Load)]
