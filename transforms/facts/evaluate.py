"""Abstract evaluation of expressions: what they are, symbolically (see `values`)."""

from __future__ import annotations

import ast
import contextlib
from typing import TYPE_CHECKING

from ..model import Level
from ..trees import walk
from . import torch_api
from .bindings import Bindings
from .classes import is_attribute_of
from .conventions import is_dtype
from .operations import one_of, part_of
from .parameters import drawn
from .values import (
    BOOL,
    ELSEWHERE,
    INT64,
    NOTHING,
    SCALAR,
    UNKNOWN,
    Symbol,
    Tag,
    Value,
    as_float,
    broadcast,
    host,
    join,
    promote,
    replace,
    standing_in,
    weaker,
    with_numbers,
)

if TYPE_CHECKING:
    from .kinds import Env

_NUMBERS = frozenset(f"math.{name}" for name in ("pi", "inf", "e", "nan", "tau"))
_NUMBERS |= {"torch.pi", "torch.inf", "torch.nan", "numpy.inf", "numpy.pi"}
_LOGGER_MAKERS = ("logging.getLogger", "logging.get_logger", "utils.logging.get_logger")


class Evaluator(Bindings):
    """Evaluates expressions in an environment and records each one's value."""

    def of(self, expr: ast.expr, env: Env) -> Value:
        """The value of the expression; recorded under its id, joined with what was recorded before."""
        found = self._of(expr, env)
        if found.tag is Tag.TENSOR and (found.shape is None or found.dtype is None):
            found = replace(found, shape=found.shape or ("node", id(expr)), dtype=found.dtype or ("node", id(expr)))
        known = self.values.get(id(expr))
        self.values[id(expr)] = found if known is None else join(known, found, ("again", id(expr)))
        return found

    def _of(self, e: ast.expr, env: Env) -> Value:
        match e:
            case ast.Constant():
                return Value(Tag.NONE) if e.value is None else host(type(e.value).__name__)
            case ast.Name():
                return env[e.id] if e.id in env else self._free(e)
            case ast.Attribute():
                return self._attribute(e, self.of(e.value, env))
            case ast.Subscript():
                return self._subscript(e, env)
            case ast.Call():
                return self.call(e, env)
            case ast.BinOp():
                return self.arithmetic(e, e.op, self.of(e.left, env), self.of(e.right, env))
            case ast.UnaryOp():
                return self._unary(e, env)
            case ast.Compare():
                return self._compare(e, env)
            case ast.BoolOp():
                return self._boolean(e, env)
            case ast.IfExp():
                return self._choice(e, env)
            case ast.NamedExpr():
                value = self.of(e.value, env)
                self.bind(e.target, value, env)
                return env[e.target.id]
        return self._compound(e, env)

    def _compound(self, e: ast.expr, env: Env) -> Value:
        """Containers, strings and what is evaluated later."""
        match e:
            case ast.Tuple() | ast.List() | ast.Set():
                return self._display(e, env)
            case ast.Dict():
                parts = [self.of(x, env) for x in [*(k for k in e.keys if k), *e.values]]
                return Value(Tag.SEQUENCE, deps=_deps(parts), roots=_roots(parts))
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                return self._comprehension(e, env)
            case ast.JoinedStr():
                return host("str", _deps([self.of(v, env) for v in e.values]))
            case ast.FormattedValue():
                spec = [self.of(e.format_spec, env)] if e.format_spec is not None else []
                return host("str", _deps([self.of(e.value, env), *spec]))
            case ast.Lambda():
                return Value(Tag.CALLABLE, deps=NOTHING)
            case ast.Slice():
                return host("slice", _deps([self.of(x, env) for x in (e.lower, e.upper, e.step) if x is not None]))
            case ast.Starred():
                return self.of(e.value, env)
            case ast.Await() | ast.Yield() | ast.YieldFrom():
                if e.value is not None:
                    self.of(e.value, env)
                return UNKNOWN
        return UNKNOWN

    # -- names and attributes ------------------------------------------------------------------------------------------
    def _free(self, e: ast.Name) -> Value:
        """A name that is not local: of the module, a builtin, or of an enclosing function."""
        qualified = self.facts.names.qualified(e)
        if qualified is not None:
            if not qualified.startswith("."):
                return replace(self._constant(qualified), deps=NOTHING)
            if self.facts.names.definition(qualified) is not None:
                return Value(Tag.CALLABLE, detail=qualified)
        value = self.facts.names.single_value(e)
        binding = self.facts.names.binding(e)
        if value is None or binding is None or binding.scope.kind != "module":
            return replace(UNKNOWN, deps=frozenset({f"global {e.id}", ELSEWHERE}))
        return self._module_value(e.id, value)

    def _module_value(self, name: str, value: ast.expr) -> Value:
        maker = (self.facts.names.qualified(value.func) or "") if isinstance(value, ast.Call) else ""
        if maker.endswith(_LOGGER_MAKERS):
            return Value(Tag.LOGGER, detail=name, deps=frozenset({f"global {name}"}))
        found = self.facts.kinds.of(value)
        return replace(found, deps=frozenset({f"global {name}"}), roots=frozenset({ELSEWHERE}))

    def _constant(self, qualified: str) -> Value:
        """The value of an imported or builtin name that is not called."""
        if is_dtype(qualified):
            return Value(Tag.HOST, detail="dtype", dtype=("named", qualified.removeprefix("torch.")))
        if qualified in _NUMBERS:
            return host("float")
        return Value(Tag.CALLABLE, detail=qualified)

    def _attribute(self, e: ast.Attribute, base: Value) -> Value:
        qualified = self.facts.names.qualified(e)
        if qualified is not None and not qualified.startswith("."):
            return self._constant(qualified)
        if base.tag in (Tag.MODULE, Tag.INSTANCE) and "self" in base.roots and isinstance(e.value, ast.Name):
            return self._own_attribute(e)
        if base.tag is Tag.TENSOR:
            return self._tensor_attribute(e, base)
        if (part := part_of(base, e)) is not None:
            return part
        if base.tag is Tag.HOST:
            return host("float" if base.detail == "finfo" else "", base.deps)
        if e.attr in ("shape", "dtype", "device", "ndim") and base.tag is Tag.UNKNOWN:
            return replace(host(e.attr, base.deps), dtype=base.dtype if e.attr == "dtype" else None)
        more = f".{e.attr}" if base.tag is Tag.INSTANCE else ELSEWHERE
        return replace(UNKNOWN, deps=base.deps | {more}, roots=base.roots | {ELSEWHERE})

    def _tensor_attribute(self, e: ast.Attribute, base: Value) -> Value:
        kind = torch_api.attribute(e.attr)
        if e.attr == "dtype":
            return Value(Tag.HOST, detail="dtype", dtype=base.dtype, deps=base.deps)
        if kind == "host":
            return host({"shape": "size"}.get(e.attr, e.attr), base.deps)
        if kind in ("tensor", "optional"):
            shape: Symbol | None = base.shape if e.attr == "data" else ("node", id(e))
            dtype: Symbol | None = ("node", id(e)) if e.attr in ("real", "imag") else base.dtype
            return replace(base, shape=shape, dtype=dtype, optional=kind == "optional", items=None)
        return replace(UNKNOWN, deps=base.deps, roots=base.roots | {ELSEWHERE})

    def _own_attribute(self, e: ast.Attribute) -> Value:
        """`self.NAME`, from what `__init__` sets."""
        owner = self.facts.classes.owner(e)
        mark = frozenset({f"self.{e.attr}"})
        if owner is None or not is_attribute_of(e, owner[1]):
            return replace(UNKNOWN, deps=mark)
        if e.attr == "training":
            return host("bool", mark)
        info = owner[0]
        method = info.method(e.attr)
        if method is not None and any(e.attr in c.methods for c in self.facts.classes.subclasses(info)):
            return replace(UNKNOWN, deps=mark | {ELSEWHERE})
        if method is not None:
            decorators = {self.facts.names.qualified(d) for d in method.decorator_list}
            if decorators & {"builtins.property", "functools.cached_property"}:
                return replace(self.facts.kinds.returned(method, {}), deps=mark | {ELSEWHERE})
            return Value(Tag.CALLABLE, deps=mark)
        values = [self.facts.kinds.of(v) for v in self.facts.classes.values(info, e.attr)]
        if not values:
            return replace(UNKNOWN, deps=mark, roots=mark)
        found = values[0]
        for i, value in enumerate(values[1:]):
            found = join(found, value, ("attribute", info.path, e.attr, i))
        symbol: Symbol = ("attribute", info.path, e.attr)
        if found.tag is Tag.TENSOR:
            found = replace(found, shape=found.shape if found.shape == SCALAR else symbol, dtype=found.dtype or symbol)
        updated = found.tag is Tag.TENSOR and not info.is_replaced(e.attr)
        if info.is_rebound(e.attr) and not updated:
            if found.tag in (Tag.NONE, Tag.UNKNOWN):
                return replace(UNKNOWN, deps=mark, roots=mark)
            found = replace(
                found,
                level=weaker(found.level, Level.ASSUMED),
                because=f"`__init__` sets `self.{e.attr}` so",
                dtype=symbol,
                shape=symbol,
            )
        return replace(found, deps=mark, roots=mark, items=found.items if found.tag is Tag.MODULE else None)

    # -- indexing ------------------------------------------------------------------------------------------------------
    def _subscript(self, e: ast.Subscript, env: Env) -> Value:
        base, index = self.of(e.value, env), self.of(e.slice, env)
        deps = base.deps | index.deps
        place = e.slice.value if isinstance(e.slice, ast.Constant) else None
        known = base.items if base.tag is Tag.SEQUENCE and base.items is not None else ()
        if isinstance(place, int) and -len(known) <= place < len(known):
            return known[place].depending(index.deps)
        if base.detail == "of tensors" and not isinstance(e.slice, ast.Slice):
            return one_of(base, e).depending(index.deps)
        if base.detail == "size":
            return host("size" if isinstance(e.slice, ast.Slice) else "int", deps)
        if base.tag is Tag.TENSOR:
            parts = e.slice.elts if isinstance(e.slice, ast.Tuple) else [e.slice]
            advanced = any(
                self.values.get(id(p), UNKNOWN).tag in (Tag.TENSOR, Tag.SEQUENCE, Tag.UNKNOWN) for p in parts
            )
            literal = not any(isinstance(n, (ast.Name, ast.Call, ast.Attribute)) for n in walk(e.slice))
            shape: Symbol = ("index", base.shape, ast.dump(e.slice)) if literal and base.shape else ("node", id(e))
            return replace(
                base, shape=shape, roots=NOTHING if advanced else base.roots, deps=deps, items=None, optional=False
            )
        return replace(UNKNOWN, deps=deps, roots=base.roots)

    def element(self, iterated: Value, expr: ast.expr) -> Value:
        """What a loop over the value gives."""
        if iterated.tag is Tag.TENSOR:
            return replace(iterated, shape=("element", iterated.shape) if iterated.shape else None, items=None)
        if iterated.tag is Tag.HOST:
            return host("int" if iterated.detail in ("range", "size") else "", iterated.deps)
        items = (
            self.members(expr)
            if iterated.tag is Tag.MODULE
            else iterated.items
            if iterated.tag is Tag.SEQUENCE
            else None
        )
        if items:
            found = items[0]
            for i, item in enumerate(items[1:]):
                found = join(found, item, ("element", id(expr), i))
            return found.depending(iterated.deps)
        return replace(UNKNOWN, deps=iterated.deps, roots=iterated.roots)

    # -- operators -----------------------------------------------------------------------------------------------------
    def arithmetic(self, e: ast.AST, op: ast.operator, a: Value, b: Value) -> Value:
        """The value of a binary operator at `e`."""
        tensors = [v for v in (a, b) if v.tag is Tag.TENSOR]
        deps = a.deps | b.deps
        if not tensors:
            if a.tag is Tag.HOST and b.tag is Tag.HOST:
                kinds = {a.detail, b.detail}
                detail = (
                    "str"
                    if "str" in kinds
                    else "float"
                    if "float" in kinds or isinstance(op, ast.Div)
                    else "int"
                    if kinds == {"int"}
                    else ""
                )
                return host(detail, deps)
            if a.tag is Tag.SEQUENCE and b.tag in (Tag.SEQUENCE, Tag.HOST):
                items = (
                    a.items + b.items
                    if a.items is not None and b.items is not None and isinstance(op, ast.Add)
                    else None
                )
                return Value(Tag.SEQUENCE, items=items, deps=deps, roots=a.roots | b.roots)
            computed = _computed(e, (a, b), op, self.floats)
            return replace(
                UNKNOWN, deps=deps, roots=a.roots | b.roots, dtype=computed["dtype"], shape=computed["shape"]
            )
        sure = min(tensors, key=lambda v: v.level is not Level.PROVED)
        found = _computed(e, (a, b), op, self.floats)
        if isinstance(op, ast.MatMult):
            found = {
                "dtype": promote([(v.dtype, None) for v in (a, b)], self.floats),
                "shape": ("matmul", a.shape, b.shape),
            }
        return Value(Tag.TENSOR, sure.level, sure.because, dtype=found["dtype"], shape=found["shape"], deps=deps)

    def _unary(self, e: ast.UnaryOp, env: Env) -> Value:
        value = self.of(e.operand, env)
        if isinstance(e.op, ast.Not):
            return host("bool", value.deps)
        if value.tag is Tag.TENSOR and not isinstance(e.op, ast.UAdd):  # `+x` is x itself
            return replace(value, roots=NOTHING)
        return value

    def _compare(self, e: ast.Compare, env: Env) -> Value:
        sides = [self.of(x, env) for x in [e.left, *e.comparators]]
        deps = _deps(sides)
        if any(isinstance(op, (ast.Is, ast.IsNot, ast.In, ast.NotIn)) for op in e.ops):
            return host("bool", deps)
        tensors = [v for v in sides if v.tag is Tag.TENSOR]
        if tensors:
            sure = min(tensors, key=lambda v: v.level is not Level.PROVED)
            return Value(
                Tag.TENSOR, sure.level, sure.because, dtype=BOOL, shape=broadcast(_shape(v) for v in sides), deps=deps
            )
        if any(v.tag is Tag.UNKNOWN for v in sides):
            return replace(UNKNOWN, deps=deps)
        return host("bool", deps)

    def _boolean(self, e: ast.BoolOp, env: Env) -> Value:
        found: Value | None = None
        deps: frozenset[str] = NOTHING
        inner = env
        for i, part in enumerate(e.values):
            with self.perhaps() if i else contextlib.nullcontext():
                value = self.of(part, inner)
            if i:
                self.rebound(part, env, inner)
            inside, outside = self.narrow(part, inner)
            inner = inside if isinstance(e.op, ast.And) else outside
            deps |= value.deps
            if found is None:
                found = value
            elif Tag.TENSOR in (found.tag, value.tag) and Tag.HOST in (found.tag, value.tag):
                # `flag and t.any()`: as a condition it is a tensor's wherever the flag holds.
                found = replace(found if found.tag is Tag.TENSOR else value, optional=True)
            else:
                found = join(found, value, ("bool", id(e), i))
        assert found is not None
        return replace(found, deps=deps)

    def _choice(self, e: ast.IfExp, env: Env) -> Value:
        test = self.of(e.test, env)
        inside, outside = self.narrow(e.test, env)
        with self.perhaps():
            body = self.of(e.body, inside)
        with self.perhaps():
            orelse = self.of(e.orelse, outside)
        self.rebound(e, env, inside, outside)
        return standing_in(e, body, orelse) or join(body, orelse, ("ifexp", id(e))).depending(test.deps)

    # -- containers ----------------------------------------------------------------------------------------------------
    def _display(self, e: ast.Tuple | ast.List | ast.Set, env: Env) -> Value:
        parts = [self.of(x, env) for x in e.elts]
        exact = not any(isinstance(x, ast.Starred) for x in e.elts) and not isinstance(e, ast.Set)
        return Value(Tag.SEQUENCE, items=tuple(parts) if exact else None, deps=_deps(parts), roots=_roots(parts))

    def _comprehension(self, e: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, env: Env) -> Value:
        inner = dict(env)
        deps: frozenset[str] = NOTHING
        for generator in e.generators:
            iterated = self.of(generator.iter, inner)
            deps |= iterated.deps
            item = drawn(generator.target, self.element(iterated, generator.iter), e, self.facts)
            self.bind(generator.target, item, inner)
            with self.perhaps():
                for test in generator.ifs:
                    deps |= self.of(test, inner).deps
        with self.perhaps():
            parts = [self.of(x, inner) for x in ([e.key, e.value] if isinstance(e, ast.DictComp) else [e.elt])]
        self.rebound(e, env, inner)
        element = parts[-1]
        return Value(
            Tag.SEQUENCE,
            detail="of tensors" if element.tag is Tag.TENSOR else "",
            dtype=element.dtype,
            deps=deps | _deps(parts),
            roots=_roots(parts),
        )


def _computed(e: ast.AST, pair: tuple[Value, Value], op: ast.operator, floats: set[Symbol]) -> dict[str, Symbol | None]:
    """Symbolic dtype and shape of elementwise arithmetic between tensors and Python numbers."""
    tensors = [v for v in pair if v.tag is not Tag.HOST]
    shape = broadcast(_shape(v) for v in pair)
    dtype = promote([(v.dtype, v.shape) for v in tensors], floats)
    if isinstance(op, ast.Div):
        dtype = as_float(dtype, floats)
    numbers = [v.detail for v in pair if v.tag is Tag.HOST and v.detail not in ("int", "bool")]
    dtype = with_numbers(dtype, numbers, ("node", id(e)), floats)
    if dtype == BOOL and any(v.tag is Tag.HOST and v.detail == "int" for v in pair):
        dtype = INT64
    return {"dtype": dtype, "shape": shape}


def _shape(value: Value) -> Symbol | None:
    return SCALAR if value.tag is Tag.HOST else value.shape


def _deps(values: list[Value]) -> frozenset[str]:
    return NOTHING.union(*(v.deps for v in values)) if values else NOTHING


def _roots(values: list[Value]) -> frozenset[str]:
    return NOTHING.union(*(v.roots for v in values)) if values else NOTHING
