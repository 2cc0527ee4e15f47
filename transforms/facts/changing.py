"""What changes with each trip of a loop, so that Dynamo would compile what reads it again: lists, counters, names."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..trees import by_type, walk
from .flow import binds, reads, walk_scope
from .gain import GROWING
from .trips import bindings, elements
from .values import Tag

if TYPE_CHECKING:
    from . import Facts

Loop = ast.For | ast.While


def grown(nodes: Sequence[ast.AST], facts: Facts) -> str | None:
    """A container that the nodes change and that was there before them."""
    fresh = _fresh_containers(nodes)
    for node in walk_scope(*nodes):
        held = lengthened(node, facts)
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, (ast.Store, ast.Del)):
            held = node.value if _may_grow(node.value, facts) else None
        if held is not None and root_name(held) not in fresh:
            return ast.unparse(held)
    return None


def lengthened(node: ast.AST, facts: Facts) -> ast.expr | None:
    """The container that a node makes longer or shorter: `x` of `x.append(y)`, `x += [y]` and `x = x + [y]`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in GROWING:
        held: ast.expr | None = node.func.value
    else:
        held = _extended(node, facts)
    return held if held is not None and _may_grow(held, facts) else None


def _may_grow(held: ast.expr, facts: Facts) -> bool:
    return facts.kinds.of(held).tag not in (Tag.TENSOR, Tag.MODULE, Tag.LOGGER)


def _extended(node: ast.AST, facts: Facts) -> ast.expr | None:
    """The sequence that a statement makes longer: `x` of `x += [y]` and of `x = x + [y]`."""
    target: ast.expr
    if isinstance(node, ast.AugAssign):
        added, target = [node.value], node.target
    elif not isinstance(node, ast.Assign):
        return None
    else:
        target, value = node.targets[0], node.value
        sides = [value.left, value.right] if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add) else []
        added = [x for x in sides if not (isinstance(x, ast.Name) and x.id == getattr(target, "id", ""))]
        if len(added) != 1 or not isinstance(target, ast.Name):
            return None
    sequence = isinstance(added[0], (ast.List, ast.Tuple)) or facts.kinds.of(added[0]).tag is Tag.SEQUENCE
    return target if sequence else None


def runs_over_numbers_read(nodes: Sequence[ast.stmt], facts: Facts) -> Loop | None:
    """A loop among the nodes over what they read out of a tensor: other numbers compile what follows again."""
    known: set[str] = set()
    found: Loop | None = None
    before = -1
    while before != len(known):
        before = len(known)
        for node in walk_scope(*nodes):
            match node:
                case ast.Assign() if _lists_tensor(node.value, known, facts):
                    known |= binds(node)
                case ast.For() if _lists_tensor(node.iter, known, facts):
                    known |= binds(node.target)
                    found = found or node
                case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) if method in GROWING:
                    known |= {name} if any(_lists_tensor(a, known, facts) for a in node.args) else set()
    return found


def _lists_tensor(e: ast.expr, known: set[str], facts: Facts) -> bool:
    """True for what holds `x.tolist()`, or a name that holds it."""
    return bool(reads(e) & known) or any(
        isinstance(n.func, ast.Attribute)
        and n.func.attr == "tolist"
        and facts.kinds.of(n.func.value).tag in (Tag.TENSOR, Tag.UNKNOWN)
        for n in by_type(e).get(ast.Call, ())
    )


def _fresh_containers(nodes: Sequence[ast.AST]) -> set[str]:
    """Names that the nodes bind to a new container of their own."""
    return {
        t.id
        for n in walk_scope(*nodes)
        if isinstance(n, ast.Assign) and isinstance(n.value, (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp))
        for t in n.targets
        if isinstance(t, ast.Name)
    }


def outliving(loop: Loop, facts: Facts) -> str | None:
    """Python state outside the call that each trip changes: each change would compile what reads it again."""
    changing = changing_state(loop.body, facts)
    if changing is not None:
        return changing
    for node in walk_scope(*loop.body):
        held = lengthened(node, facts) if isinstance(node, ast.Call) else None
        if held is not None:
            root = next((n for n in walk(held) if isinstance(n, ast.Name)), None)
            if root is None or root.id not in binds(*function_body(loop, facts)):
                return ast.unparse(held)
    return None


def changing_state(nodes: Sequence[ast.AST], facts: Facts) -> str | None:
    """An attribute that the nodes set to something other than a tensor."""
    for node in walk_scope(*nodes):
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.ctx, (ast.Store, ast.Del))
            and facts.kinds.of(node).tag is not Tag.TENSOR
        ):
            parent = facts.names.parent(node)
            if not (isinstance(parent, ast.Assign) and facts.kinds.of(parent.value).tag is Tag.TENSOR):
                return ast.unparse(node)
    return None


def changing_text(loop: Loop, moved: Sequence[ast.stmt], facts: Facts) -> str | None:
    """A loop variable for whose values Dynamo would specialise the body: a string, or a layer that knows its index."""
    if not isinstance(loop, ast.For):
        return None
    used = reads(*moved)
    first = loop.target.elts[0] if isinstance(loop.target, (ast.Tuple, ast.List)) and loop.target.elts else loop.target
    match loop.iter:
        case ast.Call(
            func=ast.Attribute(
                attr="items" | "keys" | "named_children" | "named_modules" | "named_parameters" | "named_buffers"
            )
        ):
            return first.id if isinstance(first, ast.Name) and first.id in used else None
    if any(
        isinstance(i, tuple) or isinstance(getattr(i, "value", None), str)
        for i in elements(loop.iter, loop, facts) or ()
    ):
        strings = {n for trip in bindings(loop, facts) or () for n, item in trip if isinstance(item.value, str)}
        if strings & used:
            return min(strings & used)
    return _numbered(loop, facts)


def _numbered(loop: ast.For, facts: Facts) -> str | None:
    """`self.layers` whose comprehension hands its index to each layer."""
    for node in walk(loop.iter):
        owner = facts.classes.owner(node) if isinstance(node, ast.Attribute) else None
        if owner is None or not isinstance(node, ast.Attribute) or facts.kinds.of(node).tag is Tag.TENSOR:
            continue
        for value in owner[0].attribute(node.attr):
            for made in walk(value):
                if isinstance(made, (ast.ListComp, ast.GeneratorExp)):
                    index = {n.id for g in made.generators for n in walk(g.target) if isinstance(n, ast.Name)}
                    if index & reads(made.elt):
                        return ast.unparse(node)
    return None


def root_name(node: ast.expr) -> str:
    """The name that an attribute or item chain begins with, empty where it begins with something else."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def function_body(loop: Loop, facts: Facts) -> list[ast.stmt]:
    """The statements of the function that holds the loop."""
    function = facts.function_of(loop)
    assert function is not None
    return function.body
