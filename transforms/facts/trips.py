"""How often does a loop run, and with what: the elements of an iterable that the text alone decides."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .constants import UNDECIDED, decide
from .flow import binds
from .values import Tag

if TYPE_CHECKING:
    from . import Facts

MANY = 64  # a longer iterable is not looked at any further
_HOLDERS = frozenset({"torch.nn.ModuleList", "torch.nn.Sequential", "torch.nn.modules.container.ModuleList"})
_RESIZING = frozenset({"append", "extend", "insert", "pop", "add_module", "register_module"})


@dataclass(frozen=True, slots=True)
class Item:
    """One element, by the text of an expression for it.

    Attributes:
        text: a literal (of the source where it stands there), or a place such as `self.layers[0]`.
        value: the value of a literal, `UNDECIDED` for a place.
    """

    text: str
    value: object = UNDECIDED

    @property
    def literal(self) -> bool:
        """True where the text is a literal."""
        return self.value is not UNDECIDED


Element = Item | tuple["Element", ...]
Binding = tuple[tuple[str, Item], ...]


def bindings(loop: ast.For, facts: Facts) -> tuple[Binding, ...] | None:
    """What each trip of the loop binds its target's names to, None where the text does not say."""
    found = elements(loop.iter, loop, facts)
    if found is None:
        return None
    bound = [_bind(loop.target, e) for e in found]
    return None if any(b is None for b in bound) else tuple(tuple(b) for b in bound if b is not None)


def _bind(target: ast.expr, element: Element) -> list[tuple[str, Item]] | None:
    if isinstance(target, ast.Name):
        return [(target.id, _whole(element))]
    if isinstance(target, (ast.Tuple, ast.List)) and isinstance(element, tuple) and len(target.elts) == len(element):
        parts = [_bind(t, e) for t, e in zip(target.elts, element, strict=False)]
        return None if any(p is None for p in parts) else [pair for p in parts if p is not None for pair in p]
    return None


def _whole(element: Element) -> Item:
    """A tuple of elements as one item."""
    if isinstance(element, Item):
        return element
    parts = [_whole(e) for e in element]
    text = ", ".join(p.text for p in parts)
    value = tuple(p.value for p in parts) if all(p.literal for p in parts) else UNDECIDED
    return Item(f"({text},)" if len(parts) == 1 else f"({text})", value)


def elements(expr: ast.expr, loop: ast.For, facts: Facts) -> list[Element] | None:
    """The elements of the iterable in order, None where the text does not say or there are more than 64."""
    if isinstance(expr, (ast.Tuple, ast.List)):
        found = [_element(e, loop, facts) for e in expr.elts]
        return None if any(e is None for e in found) else [e for e in found if e is not None]
    if isinstance(expr, ast.Call):
        return _called(expr, loop, facts)
    if isinstance(expr, ast.Attribute):
        return module_list(expr, facts)
    if isinstance(expr, ast.Subscript) and isinstance(expr.slice, ast.Slice):
        return _sliced(expr, expr.slice, facts)
    if isinstance(expr, ast.Name):
        value = decide(expr, facts, {})
        return [_constant(v) for v in value] if isinstance(value, tuple) and len(value) <= MANY else None
    return None


def _constant(value: object) -> Element:
    if isinstance(value, tuple):
        return tuple(_constant(v) for v in value)
    text = repr(value)
    plain = isinstance(value, str) and text == f"'{value}'"
    return Item(f'"{value}"' if plain and '"' not in text else text, value)


def _element(expr: ast.expr, loop: ast.For, facts: Facts) -> Element | None:
    """An element of a display: a literal, a tuple, or a place that nothing in the loop changes."""
    if isinstance(expr, (ast.Tuple, ast.List)):
        parts = [_element(e, loop, facts) for e in expr.elts]
        return None if any(p is None for p in parts) else tuple(p for p in parts if p is not None)
    code = facts.source.code(expr)
    if "\n" in code or "\r" in code:
        return None
    value = decide(expr, facts, {})
    if value is not UNDECIDED:
        return Item(code, value)
    if isinstance(expr, ast.Name):
        function = facts.function_of(loop)
        changing = binds(loop) | (facts.flow(function).always_live if function is not None else set())
        return Item(code) if expr.id not in changing else None
    owner = facts.classes.owner(expr)
    if (
        owner is not None
        and isinstance(expr, ast.Attribute)
        and isinstance(expr.value, ast.Name)
        and expr.value.id == owner[1]
    ):
        fixed = bool(owner[0].attribute(expr.attr)) and not owner[0].is_rebound(expr.attr)
        return (
            Item(code)
            if fixed and facts.kinds.of(expr).tag in (Tag.MODULE, Tag.INSTANCE, Tag.TENSOR, Tag.HOST)
            else None
        )
    return None


def _called(call: ast.Call, loop: ast.For, facts: Facts) -> list[Element] | None:
    name = (facts.names.qualified(call.func) or "").removeprefix("builtins.")
    keywords = {k.arg: k.value for k in call.keywords}
    if name == "range" and not keywords:
        return _range(call.args, facts)
    if name == "reversed" and len(call.args) == 1 and not keywords:
        found = elements(call.args[0], loop, facts)
        return found[::-1] if found is not None else None
    if name in ("list", "tuple") and len(call.args) == 1 and not keywords:
        return elements(call.args[0], loop, facts)
    if name == "enumerate" and call.args:
        first = call.args[1] if len(call.args) > 1 else keywords.get("start")
        start = decide(first, facts, {}) if first is not None else 0
        found = elements(call.args[0], loop, facts)
        if found is None or type(start) is not int:
            return None
        return [(Item(str(start + i), start + i), e) for i, e in enumerate(found)]
    if name == "zip" and call.args and not keywords:
        columns = [elements(a, loop, facts) for a in call.args]
        return (
            None
            if any(c is None for c in columns)
            else [tuple(row) for row in zip(*(c for c in columns if c is not None), strict=False)]
        )
    return None


def _range(args: Sequence[ast.expr], facts: Facts) -> list[Element] | None:
    bounds = [_whole_number(a, facts) for a in args]
    if not 1 <= len(bounds) <= 3 or any(b is None for b in bounds) or (len(bounds) == 3 and bounds[2] == 0):
        return None
    numbers = range(*(b for b in bounds if b is not None))
    return [Item(str(n), n) for n in numbers] if len(numbers) <= MANY else None


def _whole_number(expr: ast.expr, facts: Facts) -> int | None:
    if isinstance(expr, ast.Call) and facts.names.qualified(expr.func) == "builtins.len" and len(expr.args) == 1:
        held = module_list(expr.args[0], facts) if isinstance(expr.args[0], ast.Attribute) else None
        constant = decide(expr.args[0], facts, {})
        return len(held) if held is not None else len(constant) if isinstance(constant, (tuple, str)) else None
    value = decide(expr, facts, {})
    return value if type(value) is int else None


def module_list(expr: ast.Attribute, facts: Facts) -> list[Element] | None:
    """`self.layers[0]`, `self.layers[1]`, … for a ModuleList that only `__init__` builds, from literals."""
    owner = facts.classes.owner(expr)
    if owner is None or not (isinstance(expr.value, ast.Name) and expr.value.id == owner[1]):
        return None
    info, values = owner[0], owner[0].attribute(expr.attr)
    elsewhere = info.is_rebound(expr.attr) or any(expr.attr in c.attributes for c in facts.classes.subclasses(info))
    if len(values) != 1 or elsewhere or _resized(expr.attr, facts) or not isinstance(values[0], ast.Call):
        return None
    made = values[0]
    if facts.names.qualified(made.func) not in _HOLDERS or made.keywords:
        return None
    if (facts.names.qualified(made.func) or "").endswith("Sequential"):
        count = _display_length(made.args) if len(made.args) > 1 else None  # a single argument may be an OrderedDict
    else:
        count = _length(made.args[0], facts) if len(made.args) == 1 else None
    return (
        [Item(f"{facts.source.code(expr)}[{i}]") for i in range(count)] if count is not None and count <= MANY else None
    )


def _length(expr: ast.expr, facts: Facts) -> int | None:
    """The length of what a ModuleList is built from."""
    match expr:
        case ast.List() | ast.Tuple():
            return _display_length(expr.elts)
        case ast.ListComp(generators=[only]) | ast.GeneratorExp(generators=[only]) if (
            not only.ifs and not only.is_async
        ):
            match only.iter:
                case ast.Call() if facts.names.qualified(only.iter.func) == "builtins.range" and not only.iter.keywords:
                    found = _range(only.iter.args, facts)
                    return len(found) if found is not None else None
                case ast.List() | ast.Tuple():
                    return _display_length(only.iter.elts)
            value = decide(only.iter, facts, {})
            return len(value) if isinstance(value, tuple) else None
        case ast.BinOp(op=ast.Mult(), left=ast.List() as left):
            times = decide(expr.right, facts, {})
            return (
                len(left.elts) * times
                if type(times) is int and times >= 0 and _display_length(left.elts) is not None
                else None
            )
    return None


def _display_length(parts: Sequence[ast.expr]) -> int | None:
    return None if any(isinstance(p, ast.Starred) for p in parts) else len(parts)


def _resized(attribute: str, facts: Facts) -> bool:
    """True where the file changes the members of a list of this name."""
    for node in facts.names.nodes(ast.Attribute):
        if node.attr != attribute:
            continue
        parent = facts.names.parent(node)
        if isinstance(parent, ast.Attribute) and parent.attr in _RESIZING:
            return True
        if isinstance(parent, ast.Subscript) and isinstance(parent.ctx, (ast.Store, ast.Del)):
            return True
        if isinstance(parent, ast.AugAssign) and parent.target is node:
            return True
    return False


def _sliced(expr: ast.Subscript, part: ast.Slice, facts: Facts) -> list[Element] | None:
    found = module_list(expr.value, facts) if isinstance(expr.value, ast.Attribute) else None
    if found is None:
        return None
    bounds = [decide(b, facts, {}) if b is not None else None for b in (part.lower, part.upper, part.step)]
    start, stop, step = (b if type(b) is int else None for b in bounds)
    if (start, stop, step) != tuple(bounds) or step == 0:
        return None
    return found[start:stop:step]
