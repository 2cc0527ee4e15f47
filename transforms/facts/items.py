"""Items of a tensor that a loop reads one by one, where the tensor is known before the loop."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..trees import walk
from .always import always_so
from .flow import COMPREHENSIONS, walk_scope
from .values import Tag

if TYPE_CHECKING:
    from . import Facts

LOOPS = (ast.For, ast.While, *COMPREHENSIONS)
_NUMBERS = ("builtins.int", "builtins.float")
_MOST_AXES = 2
_WALKS = ("builtins.enumerate", "builtins.zip")


@dataclass(frozen=True, slots=True)
class Items:
    """One place at which a list of a tensor's items would be read.

    Attributes:
        node: what is taken from the list: `lengths[i].item()`, or `lengths` itself where a loop runs over it.
        tensor: the tensor.
        indices: the indices of the item, one for each axis; none where a loop runs over all.
        dropped: calls of `item` on the target of the loop, which numbers do not have.
        axes: how many axes the tensor has: an item is a number after so many indices.
        counted: it may be another container, of which each index below its length may be asked for.
    """

    node: ast.expr
    tensor: ast.Name
    indices: tuple[ast.expr, ...] = ()
    dropped: tuple[ast.Call, ...] = ()
    axes: int = 1
    counted: bool = False


def items_read(loop: ast.AST, facts: Facts) -> Iterator[Items]:
    """The items that a loop or a comprehension reads one by one, those of loops within it included."""
    for node in walk_scope(loop):
        if isinstance(node, ast.Call) and (read := _read(node, facts)) is not None:
            found = _indexed(read, facts)
            if found is not None:
                tensor, indices = found
                sure = facts.kinds.of(tensor).tag is Tag.TENSOR and always_so(tensor, facts)
                if sure or (len(indices) == 1 and _counts(node, tensor, facts)):
                    place = read if _converts(node, facts) else node
                    yield Items(place, tensor, indices, axes=len(indices), counted=not sure)
        for target, drawn in _drawn(node, facts) if isinstance(node, LOOPS) else ():
            parts = target.elts if isinstance(target, ast.Tuple) else [target]
            calls = [_numbers_alone(p, node, facts) if isinstance(p, ast.Name) else None for p in parts]
            dropped = [call for each in calls for call in each or ()]
            if None not in calls:
                yield Items(drawn, drawn, (), tuple(dropped), 1 if parts == [target] else 2)


def _read(call: ast.Call, facts: Facts) -> ast.expr | None:
    """The tensor whose number a call gives."""
    if _converts(call, facts):
        return call.args[0]
    item = isinstance(call.func, ast.Attribute) and call.func.attr == "item" and not call.args and not call.keywords
    return call.func.value if item and isinstance(call.func, ast.Attribute) else None


def _converts(call: ast.Call, facts: Facts) -> bool:
    return len(call.args) == 1 and not call.keywords and facts.names.qualified(call.func) in _NUMBERS


def _indexed(read: ast.expr, facts: Facts) -> tuple[ast.Name, tuple[ast.expr, ...]] | None:
    """The tensor and the indices of `lengths[i]`, `grid[i, 0]` and `grid[i][0]`."""
    indices: list[ast.expr] = []
    while isinstance(read, ast.Subscript):
        indices[:0] = read.slice.elts if isinstance(read.slice, ast.Tuple) else [read.slice]
        read = read.value
    values = [facts.kinds.of(i) for i in indices]
    whole = all(v.tag is Tag.HOST and v.detail == "int" for v in values)
    if not isinstance(read, ast.Name) or not indices or not whole or len(indices) > _MOST_AXES:
        return None
    return (read, tuple(indices)) if _tensor(read, facts) else None


def _counts(node: ast.expr, tensor: ast.Name, facts: Facts) -> bool:
    """True within a loop over the indices below the length of the tensor, or whatever else it is."""
    for loop in facts.names.ancestors(node):
        heads = [loop.iter] if isinstance(loop, ast.For) else []
        heads += [g.iter for g in loop.generators] if isinstance(loop, COMPREHENSIONS) else []
        for head in heads:
            for call in walk(head):
                if isinstance(call, ast.Call) and facts.names.qualified(call.func) == "builtins.len":
                    return isinstance(call.args[0], ast.Name) and call.args[0].id == tensor.id
    return False


def _tensor(name: ast.Name, facts: Facts) -> bool:
    return facts.kinds.of(name).tag in (Tag.TENSOR, Tag.UNKNOWN)


def _drawn(loop: ast.AST, facts: Facts) -> Iterator[tuple[ast.expr, ast.Name]]:
    """The targets of a loop that are items of a tensor, with the tensor."""
    heads = [(loop.target, loop.iter)] if isinstance(loop, ast.For) else []
    heads += [(g.target, g.iter) for g in loop.generators] if isinstance(loop, COMPREHENSIONS) else []
    for target, over in heads:
        pairs = [(target, over)]
        if isinstance(over, ast.Call) and facts.names.qualified(over.func) in _WALKS and not over.keywords:
            parts = target.elts if isinstance(target, ast.Tuple) else []
            held = over.args if facts.names.qualified(over.func) == "builtins.zip" else [ast.Constant(0), *over.args]
            pairs = list(zip(parts, held, strict=False)) if len(parts) == len(held) else []
        for part, whole in pairs:
            if isinstance(whole, ast.Name) and _tensor(whole, facts):
                yield part, whole


def _numbers_alone(target: ast.Name, loop: ast.AST, facts: Facts) -> tuple[ast.Call, ...] | None:
    """The calls of `item` on the target, where nothing but its number is ever asked for; None otherwise."""
    function = facts.function_of(loop)
    inside = set(map(id, walk(loop)))
    dropped: list[ast.Call] = []
    for node in walk(function) if function is not None else ():
        if not isinstance(node, ast.Name) or node.id != target.id or node is target:
            continue
        if id(node) not in inside and (isinstance(loop, COMPREHENSIONS) or _bound_again(node, facts)):
            continue
        around = facts.names.parent(node)
        call = facts.names.parent(around) if isinstance(around, ast.Attribute) else around
        if not isinstance(node.ctx, ast.Load) or not isinstance(call, ast.Call) or _read(call, facts) is not node:
            return None
        dropped += [call] if not _converts(call, facts) else []
    return tuple(dropped) if dropped or _converted(target, loop, facts) else None


def _bound_again(name: ast.Name, facts: Facts) -> bool:
    """True within another loop that binds the name."""
    for loop in facts.names.ancestors(name):
        heads = [loop.target] if isinstance(loop, ast.For) else []
        heads += [g.target for g in loop.generators] if isinstance(loop, COMPREHENSIONS) else []
        if any(isinstance(n, ast.Name) and n.id == name.id for h in heads for n in walk(h)):
            return True
    return False


def _converted(target: ast.Name, loop: ast.AST, facts: Facts) -> bool:
    return any(
        isinstance(n, ast.Call)
        and _converts(n, facts)
        and isinstance(n.args[0], ast.Name)
        and n.args[0].id == target.id
        for n in walk(loop)
    )
