"""What a function's body does with each parameter. Reads source text only."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from .reach import Function, Outline, Unit

_MAX_HOPS = 3
_READS = ("bool", "float", "int")
_INDEXERS = ("gather", "scatter", "scatter_", "scatter_add", "scatter_add_", "index_add", "index_add_", "index_select")
_TAKE_INDEX = ("one_hot", "bincount", "embedding", "index_select", "cross_entropy", "nll_loss")
_TAKE_MASK = ("masked_fill", "masked_fill_", "masked_select", "where", "masked_scatter", "logical_not", "logical_and")


@dataclass
class Uses:
    """How one value is used.

    Attributes:
        attributes: what is read or called on it.
        rank: the number of dimensions, where it is known; else `least_rank` is a lower bound.
        named_sizes: the names that its sizes are unpacked into, in order.
        keys: strings that it is subscripted with.
        positions: the largest integer that it is subscripted with at the front, or None.
        texts, numbers: what it is compared with.
        read: True where it is turned into a Python number or truth.
        indexes, masks, counts, calls, iterated: what else it is used for (`counts` as an integer of Python).
        layers: names of the attributes of `self` that it is passed to.
        items: how the values that iterating over it gives are used.
    """

    attributes: set[str] = field(default_factory=set)
    rank: int | None = None
    least_rank: int = 0
    named_sizes: tuple[str, ...] = ()
    keys: list[str] = field(default_factory=list)
    positions: int | None = None
    texts: list[str] = field(default_factory=list)
    numbers: list[float] = field(default_factory=list)
    read: bool = False
    indexes: bool = False
    masks: bool = False
    counts: bool = False
    calls: int | None = None
    iterated: bool = False
    truth: bool = False
    arithmetic: bool = False
    layers: list[str] = field(default_factory=list)
    items: Uses | None = None

    def at_least(self, rank: int) -> None:
        """Note a lower bound of the rank."""
        self.least_rank = max(self.least_rank, rank)


def uses_of(name: str, unit: Unit, outline: Outline, hops: int = 0) -> Uses:
    """What a definition, and the functions of the file that it hands the parameter on to, do with a parameter."""
    found = Uses()
    _collect(_Match({name}), unit, outline, found, hops)
    if unit.name.endswith(".__init__"):
        stored = _stored_as(name, unit.node)  # type: ignore[arg-type]  # a method is a function
        for method in outline.methods(unit.owner):
            if stored:
                _collect(_Match(set(), stored), method, outline, found, hops)
    return found


class _Match:
    """Is an expression the value that is looked at: a local name, or an attribute of `self`?"""

    def __init__(self, names: set[str], attributes: set[str] | None = None) -> None:
        self.names, self.attributes = names, attributes or set()

    def __call__(self, node: ast.AST | None) -> bool:
        if isinstance(node, ast.Name):
            return node.id in self.names
        held = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
        return held and node.attr in self.attributes  # type: ignore[union-attr]  # it is an attribute


def _stored_as(name: str, node: Function) -> set[str]:
    found = set()
    for part in ast.walk(node):
        if isinstance(part, ast.Assign):
            for target in part.targets:
                found |= _stored_in(name, target, part.value)
    return found


def _stored_in(name: str, target: ast.expr, value: ast.expr) -> set[str]:
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        return set().union(*(_stored_in(name, t, v) for t, v in zip(target.elts, value.elts, strict=True)))
    is_self = isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "self"
    alternatives = value.values if isinstance(value, ast.BoolOp) else [value]
    held = any(isinstance(item, ast.Name) and item.id == name for item in alternatives)
    return {target.attr} if is_self and held else set()  # type: ignore[attr-defined]  # it is an attribute


def _collect(match: _Match, unit: Unit, outline: Outline, found: Uses, hops: int) -> None:
    for node in ast.walk(unit.node):
        for handle in (_of_attribute, _of_subscript, _of_assignment, _of_comparison, _of_call, _of_operator):
            handle(node, match, found)
        _of_loop(node, match, unit, outline, found, hops)
        if isinstance(node, ast.Call) and hops < _MAX_HOPS:
            _handed_on(node, match, unit, outline, found, hops)


def _of_attribute(node: ast.AST, match: _Match, found: Uses) -> None:
    if isinstance(node, ast.Attribute) and match(node.value):
        found.attributes.add(node.attr)
        found.read |= node.attr == "item"


def _of_subscript(node: ast.AST, match: _Match, found: Uses) -> None:
    if not isinstance(node, ast.Subscript):
        return
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if match(node.value):
        _of_own_subscript(parts, found)
    elif _is_shape(node.value, match) and isinstance(node.slice, (ast.Constant, ast.UnaryOp)):
        position = ast.literal_eval(node.slice)
        if isinstance(position, int):
            found.at_least(position + 1 if position >= 0 else -position)
    for part in parts:
        if match(part):
            found.indexes = True
        elif isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.Invert) and match(part.operand):
            found.masks = True
        elif isinstance(part, ast.Slice) and any(match(end) for end in (part.lower, part.upper)):
            found.counts = True


def _of_own_subscript(parts: list[ast.expr], found: Uses) -> None:
    first = parts[0]
    if isinstance(first, ast.Constant) and isinstance(first.value, str):
        found.keys += [first.value] if first.value not in found.keys else []
        return
    constants = [p.value for p in parts if isinstance(p, ast.Constant) and isinstance(p.value, int)]
    if len(parts) == 1 and constants and constants[0] is not None:
        found.positions = max(found.positions or 0, int(constants[0]))
    dims = [p for p in parts if not (isinstance(p, ast.Constant) and p.value in (None, ...))]
    elided = any(isinstance(p, ast.Constant) and p.value is ... for p in parts)
    spread = any(isinstance(p, ast.Constant) and p.value is None for p in parts)
    if spread and dims and not elided and found.rank is None:
        found.rank = len(dims)
    found.at_least(len(dims))


def _of_assignment(node: ast.AST, match: _Match, found: Uses) -> None:
    """`b, t, c = x.shape`."""
    if not isinstance(node, ast.Assign) or not _is_shape(node.value, match):
        return
    for target in node.targets:
        if isinstance(target, (ast.Tuple, ast.List)):
            names = [item.id if isinstance(item, ast.Name) else "" for item in target.elts]
            if not any(isinstance(item, ast.Starred) for item in target.elts):
                found.rank, found.named_sizes = len(names), tuple(names)


def _is_shape(node: ast.AST, match: _Match) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args:
        return node.func.attr == "size" and match(node.func.value)
    return isinstance(node, ast.Attribute) and node.attr == "shape" and match(node.value)


def _of_comparison(node: ast.AST, match: _Match, found: Uses) -> None:
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        if any(match(side) for side in sides):
            for side in sides:
                if isinstance(side, ast.Constant) and isinstance(side.value, str):
                    found.texts.append(side.value)
                elif isinstance(side, ast.Constant) and isinstance(side.value, (int, float)):
                    found.numbers.append(side.value)
        if len(sides) == 2 and isinstance(node.ops[0], ast.Eq) and any(_is_rank(side, match) for side in sides):
            found.rank = next(
                (s.value for s in sides if isinstance(s, ast.Constant) and type(s.value) is int), found.rank
            )
    test = getattr(node, "test", None)
    for part in _truths(test):
        found.truth |= match(part)
        if isinstance(part, ast.Compare) and not isinstance(part.ops[0], (ast.Is, ast.IsNot, ast.In, ast.NotIn)):
            found.read |= any(match(side) for side in (part.left, *part.comparators))


def _is_rank(node: ast.expr, match: _Match) -> bool:
    """`x.dim()` or `x.ndim`."""
    node = node.func if isinstance(node, ast.Call) and not node.args else node
    return isinstance(node, ast.Attribute) and node.attr in ("dim", "ndim") and match(node.value)


def _truths(test: ast.expr | None) -> Iterator[ast.expr]:
    """The conditions that a test is made of."""
    if isinstance(test, ast.BoolOp):
        for value in test.values:
            yield from _truths(value)
    elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from _truths(test.operand)
    elif test is not None:
        yield test


def _of_call(node: ast.AST, match: _Match, found: Uses) -> None:
    if not isinstance(node, ast.Call):
        return
    if match(node.func):
        found.calls = max(found.calls or 0, len(node.args))
    values = [*node.args, *(item.value for item in node.keywords)]
    if not any(match(value) for value in values):
        return
    callee = ast.unparse(node.func)
    last = callee.rpartition(".")[2]
    found.read |= callee in _READS
    found.counts |= callee == "range"
    found.iterated |= callee in ("len", "zip", "enumerate", "sorted", "sum", "any", "all", "list", "tuple")
    found.masks |= last in _TAKE_MASK and match(values[0])
    found.indexes |= (last in _INDEXERS and len(node.args) > 1 and match(node.args[1])) or (
        last in _TAKE_INDEX and match(values[-1])
    )
    if callee.startswith("self."):
        found.layers.append(callee.split(".")[1].partition("[")[0])


def _of_operator(node: ast.AST, match: _Match, found: Uses) -> None:
    if isinstance(node, ast.UnaryOp) and match(node.operand):
        found.masks |= isinstance(node.op, ast.Invert)
        found.arithmetic |= isinstance(node.op, ast.USub)
    elif isinstance(node, ast.BinOp) and (match(node.left) or match(node.right)):
        found.masks |= isinstance(node.op, (ast.BitAnd, ast.BitOr))
        found.arithmetic = True
        if isinstance(node.op, ast.MatMult):
            found.at_least(2)


def _of_loop(node: ast.AST, match: _Match, unit: Unit, outline: Outline, found: Uses, hops: int) -> None:
    if not isinstance(node, (ast.For, ast.comprehension)):
        return
    sources, targets = [node.iter], [node.target]
    if isinstance(node.iter, ast.Call) and ast.unparse(node.iter.func) in ("zip", "enumerate", "reversed", "sorted"):
        name = ast.unparse(node.iter.func)
        sources = list(node.iter.args)
        spread = list(node.target.elts) if isinstance(node.target, ast.Tuple) else [node.target]
        targets = spread[1:] if name == "enumerate" else spread
    for source, target in zip(sources, targets, strict=False):
        if match(source):
            found.iterated = True
            found.items = found.items or Uses()
            if isinstance(target, ast.Name):
                _collect(_Match({target.id}), unit, outline, found.items, hops + 1)


def _handed_on(node: ast.Call, match: _Match, unit: Unit, outline: Outline, found: Uses, hops: int) -> None:
    callee = _callee(node, unit, outline)
    if callee is None or callee.name == unit.name or not isinstance(callee.node, Function):
        return
    names = [item.arg for item in (*callee.node.args.posonlyargs, *callee.node.args.args)]
    names = names[1:] if callee.owner else names
    pairs = [*zip(names, node.args, strict=False), *((k.arg, k.value) for k in node.keywords if k.arg)]
    for name, value in pairs:
        if match(value) and isinstance(name, str):
            hidden = uses_of(name, callee, outline, hops + 1)
            _merge(found, hidden)


def _callee(node: ast.Call, unit: Unit, outline: Outline) -> Unit | None:
    text = ast.unparse(node.func)
    if text in outline.units:
        init = outline.units.get(f"{text}.__init__")
        return init or (outline.units[text] if not isinstance(outline.units[text].node, ast.ClassDef) else None)
    if text.startswith("self.") and unit.owner:
        return outline.units.get(f"{unit.owner}.{text.removeprefix('self.')}")
    return None


def _merge(into: Uses, other: Uses) -> None:
    into.attributes |= other.attributes
    into.rank = into.rank if into.rank is not None else other.rank
    into.named_sizes = into.named_sizes or other.named_sizes
    into.at_least(other.least_rank)
    into.keys += [key for key in other.keys if key not in into.keys]
    into.texts += other.texts
    into.numbers += other.numbers
    if other.positions is not None:
        into.positions = max(into.positions or 0, other.positions)
    for name in ("read", "indexes", "masks", "counts", "iterated", "truth", "arithmetic"):
        setattr(into, name, getattr(into, name) or getattr(other, name))
    into.calls = into.calls if into.calls is not None else other.calls
    into.items = into.items or other.items
    into.layers += other.layers
