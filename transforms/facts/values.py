"""What an expression is, symbolically: its kind with the evidence, dtype, shape, storage and what it depends on.

Dtypes and shapes are nested tuples built from symbols, so that equal tuples mean equal dtypes and shapes whatever the
inputs are; different tuples mean nothing.
"""

from __future__ import annotations

import ast
import enum
from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

from ..model import Evidence, Level

Symbol = tuple[Any, ...]

SCALAR: Symbol = ("scalar",)  # the shape of a 0-d tensor
BOOL: Symbol = ("bool",)
INT64: Symbol = ("int64",)
DEFAULT: Symbol = ("default",)  # torch.get_default_dtype()
NOTHING: frozenset[str] = frozenset()
DISAGREEING = "paths disagree about what it is"
ELSEWHERE = "?"  # storage or a dependency that the file does not show


class Tag(enum.Enum):
    """The kinds of values that rules tell apart."""

    TENSOR = "tensor"
    HOST = "host"  # a Python number, string, size, dtype, device: nothing that needs the device
    NONE = "none"
    SEQUENCE = "sequence"  # a list, tuple, dict or set of anything
    MODULE = "module"
    INSTANCE = "instance"
    LOGGER = "logger"
    CALLABLE = "callable"
    UNKNOWN = "unknown"


_ORDER = [Level.PROVED, Level.OBSERVED, Level.ASSUMED, Level.UNKNOWN, Level.NO]


class Value(NamedTuple):
    """One abstract value: a named tuple, as many are made and compared.

    Attributes:
        tag: what it is; `level` and `because` say how that is known.
        detail: for HOST the Python type where known ("bool", "int", "float", "str", "size", …); for MODULE the layer's
            qualified name; for INSTANCE the path of the class in the file.
        dtype: symbolic dtype of a tensor (of the elements of a sequence of tensors).
        shape: symbolic shape of a tensor.
        roots: whose storage it may share: parameters, `self.NAME`, `?`; empty for a fresh tensor.
        deps: what it is computed from: parameters, `self.NAME`, globals, `?`, `rng`.
        items: the elements of a tuple or list of known length.
        optional: it may also be None, or a Python value (`flag and t.any()`).
    """

    tag: Tag
    level: Level = Level.PROVED
    because: str = ""
    detail: str = ""
    dtype: Symbol | None = None
    shape: Symbol | None = None
    roots: frozenset[str] = NOTHING
    deps: frozenset[str] = NOTHING
    items: tuple[Value, ...] | None = None
    optional: bool = False

    @property
    def is_tensor(self) -> bool:
        """True for a tensor, proved or assumed."""
        return self.tag is Tag.TENSOR

    @property
    def evidence(self) -> Evidence:
        """How the tag is known."""
        return Evidence(self.level, self.because)

    def depending(self, deps: Iterable[str]) -> Value:
        """The same value with more dependencies."""
        more = self.deps.union(deps)
        if more == self.deps:
            return self
        return Value._make((*self[:_DEPS], more, *self[_DEPS + 1 :]))


def replace(value: Value, **changes: Any) -> Value:
    """The value with other attributes."""
    fields = list(value)
    for name, new in changes.items():
        fields[_PLACES[name]] = new
    return Value._make(fields)


_PLACES = {name: place for place, name in enumerate(Value._fields)}
_DEPS = _PLACES["deps"]


UNKNOWN = Value(
    Tag.UNKNOWN, Level.UNKNOWN, "nothing tells what it is", roots=frozenset({ELSEWHERE}), deps=frozenset({ELSEWHERE})
)


def host(detail: str, deps: frozenset[str] = NOTHING) -> Value:
    """A Python value that needs no device."""
    return Value(Tag.HOST, detail=detail, deps=deps)


def weaker(*levels: Level) -> Level:
    """The least certain of the levels."""
    return max(levels, key=_ORDER.index)


def earlier(value: Value, loop: int, inside: Collection[int]) -> Value:
    """A value of an iteration, as the next one sees it: what the nodes `inside` the loop make is made anew there."""
    items = tuple(earlier(i, loop, inside) for i in value.items) if value.items is not None else None
    dtype, shape = value.dtype, value.shape
    if _mentions(dtype, inside):
        aged: Symbol = ("earlier", loop, dtype)
        dtype = ("float", aged) if category(dtype) == "float" else aged
    if _mentions(shape, inside):
        shape = ("earlier", loop, shape)
    return replace(value, dtype=dtype, shape=shape, items=items)


def _mentions(symbol: object, ids: Collection[int]) -> bool:
    if isinstance(symbol, (tuple, frozenset)):
        return any(_mentions(part, ids) for part in symbol)
    return isinstance(symbol, int) and symbol in ids


def join(a: Value, b: Value, merge: Symbol) -> Value:
    """What is known where two paths meet; `merge` names the meeting point, for symbols that differ."""
    if a == b:
        return a
    deps, roots = a.deps | b.deps, a.roots | b.roots
    if a.tag is Tag.NONE or b.tag is Tag.NONE:
        other = b if a.tag is Tag.NONE else a
        if other.tag is not Tag.NONE:
            return replace(other, optional=True, deps=deps)
    if a.tag is not b.tag:
        return Value(Tag.UNKNOWN, Level.UNKNOWN, DISAGREEING, roots=roots, deps=deps)
    items = None
    if a.items is not None and b.items is not None and len(a.items) == len(b.items):
        items = tuple(join(x, y, (*merge, i)) for i, (x, y) in enumerate(zip(a.items, b.items, strict=True)))
    weakest = a if weaker(a.level, b.level) is a.level else b
    return Value(
        a.tag,
        weakest.level,
        weakest.because,
        a.detail if a.detail == b.detail else "",
        a.dtype if a.dtype == b.dtype else _merged_dtype(a.dtype, b.dtype, merge),
        a.shape if a.shape == b.shape else ("at", *merge),
        roots,
        deps,
        items,
        a.optional or b.optional,
    )


def standing_in(choice: ast.IfExp, body: Value, orelse: Value) -> Value | None:
    """The value of `given if given is not None else own`: what a caller gives is taken to be of the same kind."""
    match choice:
        case ast.IfExp(
            test=ast.Compare(left=ast.Name(id=asked), ops=[ast.IsNot()], comparators=[ast.Constant(value=None)]),
            body=ast.Name(id=name),
        ) if asked == name and body.tag in (Tag.UNKNOWN, Tag.NONE):
            level = weaker(orelse.level, Level.ASSUMED)
            return replace(orelse, level=level, deps=orelse.deps | body.deps, roots=orelse.roots | body.roots)
    return None


def _merged_dtype(a: Symbol | None, b: Symbol | None, merge: Symbol) -> Symbol:
    """Either dtype; of category float only where both are."""
    if a is not None and b is not None and a[0] in ("float", "linear") and b[0] in ("float", "linear"):
        return ("float", ("at", *merge))
    return ("at", *merge)


# ---- dtypes ---------------------------------------------------------------------------------------------------------
def category(dtype: Symbol | None, floats: Collection[Symbol] = ()) -> str | None:
    """ "bool", "int" or "float" (complex counts as float), None where unknown.

    `floats` are symbols known to be floating.
    """
    if dtype is None:
        return None
    if dtype in floats or dtype[0] in ("float", "linear", "default"):
        return "float"
    if dtype[0] in ("bool", "int64"):
        return {"bool": "bool", "int64": "int"}[dtype[0]]
    if dtype[0] == "named":
        name = str(dtype[1])
        return (
            "bool"
            if name == "bool"
            else "float"
            if name.startswith(("float", "bfloat", "half", "double", "complex"))
            else "int"
        )
    if dtype[0] == "summed":
        inner = category(dtype[1], floats)
        return "int" if inner == "bool" else inner
    if dtype[0] == "promote":
        found = {category(d, floats) for part in dtype[1:] for d in part}
        return "float" if "float" in found else next(iter(found)) if len(found) == 1 else None
    return None


def settle(dtype: Symbol | None, floats: Collection[Symbol]) -> Symbol | None:
    """The dtype with promotions to float dropped where the operand is floating anyway."""
    if dtype is None:
        return None
    if dtype[0] == "summed" or (dtype[0] == "float" and len(dtype) == 2) or dtype[0] == "mixed":
        inner = settle(dtype[1], floats)
        return inner if category(inner, floats) == "float" else (dtype[0], inner, *dtype[2:])
    if dtype[0] == "promote":
        parts = [frozenset(settle(d, floats) for d in part) for part in dtype[1:]]
        alone = len(set().union(*parts)) == 1
        return next(iter(parts[0])) if alone else ("promote", *parts)
    if dtype[0] == "linear":
        return ("linear", settle(dtype[1], floats) if isinstance(dtype[1], tuple) else dtype[1], *dtype[2:])
    return dtype


def agree(a: Value, b: Value, floats: Collection[Symbol]) -> Evidence:
    """Whether two values are tensors of the same dtype and shape, as `torch.cond` and `torch.where` need."""
    if Tag.TENSOR not in (a.tag, b.tag) or not {a.tag, b.tag} <= {Tag.TENSOR, Tag.UNKNOWN}:
        other = b if a.tag is Tag.TENSOR else a
        return Evidence(Level.NO, f"one arm gives a {other.tag.value} value")
    if a.optional or b.optional:
        return Evidence(Level.NO, "one arm may give None or a Python value")
    if a.shape is None or a.shape != b.shape:
        apart = Level.NO if SCALAR in (a.shape, b.shape) else Level.UNKNOWN
        return Evidence(apart, "the arms are not known to give the same shape")
    x, y = settle(a.dtype, floats), settle(b.dtype, floats)
    if x is not None and x == y:
        return Evidence(Level.PROVED, "dtype and shape are the same in both arms")
    if x is not None and y is not None:
        symbols = _symbols(x) | _symbols(y)
        assumed = set(floats) | symbols
        if settle(x, assumed) == settle(y, assumed):
            names = (
                ", ".join(sorted(f"`{s[1]}`" for s in symbols if s not in floats and s[0] == "of"))
                or "what it computes with"
            )
            return Evidence(Level.ASSUMED, f"dtypes agree if {names} is floating")
    # A cast in one arm alone is meant to give another dtype.
    cast = _settled(x) != _settled(y)
    return Evidence(Level.NO if cast else Level.UNKNOWN, "the arms are not known to give the same dtype")


def _settled(dtype: Symbol | None) -> set[Symbol]:
    """The dtypes that a cast, a comparison or a count has settled, of which a dtype is made."""
    if dtype is None or dtype[0] in ("named", "bool", "int64"):
        return set() if dtype is None else {dtype}
    found: set[Symbol] = set()
    for part in dtype[1:]:
        for inner in part if isinstance(part, frozenset) else [part]:
            if isinstance(inner, tuple) and inner and isinstance(inner[0], str):
                found |= _settled(inner)
    return found


def _symbols(dtype: Symbol) -> set[Symbol]:
    """The input dtypes that a dtype is made of."""
    if dtype[0] in ("of", "attribute", "node", "at", "via", "in", "earlier"):
        return {dtype}
    found: set[Symbol] = set()
    for part in dtype[1:]:
        if isinstance(part, (tuple, frozenset)):
            inner = [part] if isinstance(part, tuple) and part and isinstance(part[0], str) else list(part)
            for p in inner:
                if isinstance(p, tuple) and p:
                    found |= _symbols(p)
    return found


def with_numbers(
    dtype: Symbol | None, numbers: Iterable[str], node: Symbol, floats: Collection[Symbol]
) -> Symbol | None:
    """The dtype of arithmetic of a tensor with Python numbers that are no ints, given as their types ("" if unknown).

    A real number leaves a floating dtype as it is. A number of unknown type may do so to an integer dtype too, or not:
    `node` tells such results apart.
    """
    found = dtype
    for number in numbers:
        if number == "complex":
            return node
        if category(found, floats) == "float" or found is None:
            continue
        found = ("float", found) if number == "float" else ("mixed", found, node)
    return found


def weighted(dtype: Symbol | None) -> Symbol:
    """The dtype that a layer with weights gives: the input's, or autocast's."""
    return dtype if dtype is not None and dtype[0] == "linear" else ("linear", dtype)


def as_float(dtype: Symbol | None, floats: Collection[Symbol]) -> Symbol | None:
    """The dtype of a true division or of `exp`: floating dtypes stay, others become the default dtype."""
    if dtype is None or category(dtype, floats) == "float":
        return dtype
    return DEFAULT if dtype in (BOOL, INT64) else ("float", dtype)


def promote(operands: Iterable[tuple[Symbol | None, Symbol | None]], floats: Collection[Symbol]) -> Symbol | None:
    """The dtype of arithmetic on tensors given as (dtype, shape).

    A 0-d tensor does not take part beside one that has dimensions for certain and is floating.
    """
    pairs = list(operands)
    if not pairs or any(d is None for d, _ in pairs):
        return None
    if any(has_dimensions(s) and category(d, floats) == "float" for d, s in pairs):
        pairs = [(d, s) for d, s in pairs if s != SCALAR]
    full: set[Symbol] = set()
    small: set[Symbol] = set()  # of 0-d tensors, which take part by their category alone
    for d, s in pairs:
        assert d is not None
        (small if s == SCALAR else full).update(d[1] if d[0] == "promote" and len(d) == 2 else [d])
    if small <= full:
        small = set()  # a 0-d tensor of a dtype that takes part anyway changes nothing
    if len(full | small) == 1:
        return (full | small).pop()
    return ("promote", frozenset(full or small), *([frozenset(small)] if full and small else []))


# ---- shapes ---------------------------------------------------------------------------------------------------------
def has_dimensions(shape: Symbol | None) -> bool:
    """True for a shape that is not that of a 0-d tensor for certain."""
    if shape is None:
        return False
    if shape[0] == "broadcast":
        return any(has_dimensions(s) for s in shape[1])
    return shape[0] in ("last", "append") or (shape[0] == "sized" and bool(shape[-1]))


def broadcast(shapes: Iterable[Symbol | None]) -> Symbol | None:
    """The shape of arithmetic on tensors of these shapes, which broadcast or raise."""
    found: set[Symbol] = set()
    for shape in shapes:
        if shape is None:
            return None
        found |= set(shape[1]) if shape[0] == "broadcast" else {shape}
    found.discard(SCALAR)
    # What was reduced with keepdim=True from a shape broadcasts back into it.
    found = {s for s in found if not (s[0] == "keep" and s[1] in found)}
    if not found:
        return SCALAR
    return found.pop() if len(found) == 1 else ("broadcast", frozenset(found))
