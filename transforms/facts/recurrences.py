"""Loops over the length of an input that carry a state: unrolled into the graph, they are compiled for each length."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..model import NoFix
from ..trees import walk
from .driving import Driver
from .flow import binds, own_jumps, reads
from .gain import work
from .values import Tag

if TYPE_CHECKING:
    from . import Facts

MIN_WORK = 3  # tensor operations in each trip


def recurrence(loop: ast.For, facts: Facts) -> tuple[str, Driver | NoFix] | None:
    """The input whose length counts the trips, and how the loop can run in Python; None for any other loop."""
    function = facts.function_of(loop)
    if function is None or loop not in function.body or list(own_jumps(loop.body)) or loop.orelse:
        return None
    held = _counted(loop, facts)
    if held is None or not isinstance(loop.target, ast.Name) or held not in facts.flow(function).parameters:
        return None
    picked = any(_picks(n, held, loop.target.id) for s in loop.body for n in walk(s))
    entering = facts.flow(function).entering(loop.body, frozenset())
    carried = {n for n in entering & binds(*loop.body) if _state(n, loop, facts)}
    if not picked or not carried or work(loop.body, facts) < MIN_WORK or facts.breaks.certain(loop.body):
        return None
    driver = facts.drivers.of(function, stays=frozenset({loop}))
    return held, driver if isinstance(driver, NoFix) else facts.drivers.last(driver)


def _counted(loop: ast.For, facts: Facts) -> str | None:
    """The name whose size, but for that of its first dimension, is the number of trips."""
    call = loop.iter
    if not isinstance(call, ast.Call) or facts.names.qualified(call.func) != "builtins.range" or len(call.args) != 1:
        return None
    count: ast.expr | None = call.args[0]
    if isinstance(count, ast.Name):
        unpacked = _unpacked(count, loop, facts)
        if unpacked is not None:
            return unpacked
        count = facts.names.single_value(count)
    match count:
        case ast.Subscript(value=ast.Attribute(value=ast.Name(id=name), attr="shape"), slice=place):
            return name if _later(place) else None
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="size"), args=[place]):
            return name if _later(place) else None
    return None


def _later(place: ast.expr) -> bool:
    return isinstance(place, ast.Constant) and isinstance(place.value, int) and place.value != 0


def _unpacked(count: ast.Name, loop: ast.For, facts: Facts) -> str | None:
    """`batch, steps, width = x.shape` above the loop, for `steps`."""
    function = facts.function_of(loop)
    assert function is not None
    for s in function.body[: function.body.index(loop)]:
        match s:
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Attribute(value=ast.Name(id=x), attr="shape")):
                places = [i for i, n in enumerate(names) if isinstance(n, ast.Name) and n.id == count.id]
                if places:
                    return x if places[0] > 0 else None
    return None


def _picks(node: ast.AST, held: str, index: str) -> bool:
    """`x[:, t]`, for the input and the loop's variable."""
    return (
        isinstance(node, ast.Subscript)
        and isinstance(node.ctx, ast.Load)
        and isinstance(node.value, ast.Name)
        and node.value.id == held
        and index in reads(node.slice)
    )


def _state(name: str, loop: ast.For, facts: Facts) -> bool:
    """True for a name that holds a tensor, or a pair of them, from trip to trip."""
    value = facts.kinds.before(loop).get(name)
    return value is not None and value.tag in (Tag.TENSOR, Tag.UNKNOWN)
