"""Tensors that are asked again and again for what does not change: flags that are set once, and constants."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..model import NoFix
from ..trees import walk
from .classes import ClassInfo, is_attribute_of
from .flow import walk_scope

if TYPE_CHECKING:
    from . import Facts

_WRITES = frozenset({"copy_", "fill_", "logical_or_"})


def unchanging(test: ast.expr, facts: Facts) -> NoFix | None:
    """Why a condition is no matter for the graph: what it asks is a flag that is set once, or a constant."""
    return _latched(test, facts) or _constant(test, facts)


def _latched(test: ast.expr, facts: Facts) -> NoFix | None:
    """`if self.initted: return`, where methods of the class only ever set the buffer to True."""
    owner = facts.classes.owner(test)
    if owner is None:
        return None
    asked = test.operand if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) else test
    while isinstance(asked, ast.Call) and isinstance(asked.func, ast.Attribute) and not asked.args:
        asked = asked.func.value  # `.item()`, `.all()`
    info, me = owner
    if not is_attribute_of(asked, me) or asked.attr not in info.buffers:
        return None
    written = [value for method in info.methods.values() for value in _written(method, me, asked.attr)]
    if not written or not all(map(_is_true, written)):
        return None
    return NoFix(
        f"`{me}.{asked.attr}` is a flag that is set once: it has to stay in the state_dict, so it can not be a bool",
        f"keep a bool beside it that is set where `{asked.attr}` is set and in `_load_from_state_dict`, "
        "or do the one-time work before compiling",
    )


def _written(method: ast.AST, me: str, name: str) -> Iterator[ast.expr]:
    """What the method puts into the buffer."""
    for node in walk(method):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _WRITES:
            held = node.func.value
            held = held.value if isinstance(held, ast.Attribute) and held.attr == "data" else held
            if is_attribute_of(held, me) and held.attr == name and node.args:
                yield node.args[0]
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                held = target.value if isinstance(target, ast.Subscript) else target
                if is_attribute_of(held, me) and held.attr == name:
                    yield node.value


def _is_true(value: ast.expr) -> bool:
    """`True`, `1`, and a tensor of that."""
    if isinstance(value, ast.Call) and value.args:
        return _is_true(value.args[0])
    if isinstance(value, (ast.List, ast.Tuple)):
        return len(value.elts) == 1 and _is_true(value.elts[0])
    return isinstance(value, ast.Constant) and value.value in (True, 1)


def _constant(test: ast.expr, facts: Facts) -> NoFix | None:
    """`for flag in self.flags: if flag:`, where `flags` is a plain attribute that only the constructor makes."""
    names = {n.id for n in walk(test) if isinstance(n, ast.Name)}
    loop = next((n for n in facts.names.ancestors(test) if isinstance(n, ast.For) and names & _targets(n)), None)
    owner = facts.classes.owner(test)
    if loop is None or owner is None:
        return None
    info, me = owner
    for node in walk_scope(loop.iter):
        if is_attribute_of(node, me) and _made_once(info, node.attr, facts):
            return NoFix(
                f"`{me}.{node.attr}` is a tensor of constants, and each is read on every call",
                f"make a list of it beside it, in the constructor: `{me}.{node.attr}.tolist()`",
            )
    return None


def _targets(loop: ast.For) -> set[str]:
    return {n.id for n in walk(loop.target) if isinstance(n, ast.Name)}


def _made_once(info: ClassInfo, name: str, facts: Facts) -> bool:
    """True for a tensor that is no buffer, and that nothing but the constructor binds."""
    made = info.attribute(name)
    return bool(made) and name not in info.buffers and not info.is_rebound(name) and facts.kinds.of(made[0]).is_tensor


__all__ = ["unchanging"]
