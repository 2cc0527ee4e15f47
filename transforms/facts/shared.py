"""Whether a list or tensor may be the same one for several readers, each of which made its own before."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..trees import named, walk
from .values import Tag

if TYPE_CHECKING:
    from . import Facts
    from .threads import Thread

_WALKS = frozenset(f"builtins.{n}" for n in ("enumerate", "zip", "reversed"))
_NUMBERS = frozenset(f"builtins.{n}" for n in ("len", "sum", "int", "float", "bool", "any", "all"))
_LOOKS = _NUMBERS | frozenset(f"builtins.{n}" for n in ("max", "min", "list", "tuple", "sorted"))
_VIEWS = frozenset({"squeeze", "view", "flatten", "reshape", "long", "unsqueeze", "to"})
_SPLITS = frozenset({"split", "split_with_sizes"})


def several(thread: Thread, threads: Sequence[Thread]) -> bool:
    """True where what is computed for the thread is read more than once."""
    names = {(m.home, m.name) for m in thread.made}
    others = any(t is not thread and names & {(m.home, m.name) for m in t.made} for t in threads)
    return others or thread.repeated or len(thread.gives) > len(thread.takes)


def only_looked_at(node: ast.expr, facts: Facts) -> bool:
    """True where nothing changes or keeps what the expression gives: it is iterated over, measured, or an index."""
    if facts.kinds.of(node).tag is Tag.HOST and not _lists(node, facts):
        return True
    return _looks(node, facts, tensor=facts.kinds.of(node).is_tensor, named_once=False)


def _lists(node: ast.expr, facts: Facts) -> bool:
    """True for what may be a list, or an element of one."""
    match node:
        case ast.Call(func=func) if facts.names.qualified(func) in _NUMBERS:
            return False
        case ast.Compare():
            return False
    return any(isinstance(n, ast.Attribute) and n.attr == "tolist" for n in walk(node))


def _looks(node: ast.expr, facts: Facts, tensor: bool, named_once: bool) -> bool:
    around = facts.names.parent(node)
    match around:
        case ast.Subscript() if around.slice is node:
            return True
        case ast.Assign(targets=[ast.Name(id=name)]) if around.value is node and not named_once:
            function = facts.function_of(node)
            uses = [n for n in named(function, name) if not isinstance(n.ctx, ast.Store)] if function else []
            shared = function is None or name in facts.flow(function).always_live
            return not shared and all(_looks(n, facts, tensor, named_once=True) for n in uses)
        case ast.Attribute(attr=attr) if tensor and attr in _VIEWS:
            call = facts.names.parent(around)
            return isinstance(call, ast.Call) and call.func is around and _looks(call, facts, tensor, named_once)
    if tensor:
        return False
    match around:
        case ast.Subscript():
            return isinstance(around.ctx, ast.Load)
        case ast.For() | ast.comprehension():
            return around.iter is node and _plain(around.target, facts)
        case ast.Call() if node in around.args:
            qualified = facts.names.qualified(around.func) or ""
            if qualified in _WALKS:
                outer = facts.names.parent(around)
                return isinstance(outer, (ast.For, ast.comprehension)) and _plain(outer.target, facts)
            method = isinstance(around.func, ast.Attribute) and around.func.attr in _SPLITS
            return qualified in _LOOKS or qualified.startswith("torch.") or method
        case ast.keyword():
            call = facts.names.parent(around)
            return isinstance(call, ast.Call) and (facts.names.qualified(call.func) or "").startswith("torch.")
        case ast.Compare():
            return True
    return False


def _plain(target: ast.expr, facts: Facts) -> bool:
    """True for targets of a loop that nothing is put into."""
    function = facts.function_of(target)
    names = {n.id for n in ast.walk(target) if isinstance(n, ast.Name)}
    return function is not None and not names & facts.effects.of(function.body).mutates
