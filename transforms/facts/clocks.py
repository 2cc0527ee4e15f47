"""Loops whose condition is a tensor, but follows from Python numbers alone: a time that runs down in steps."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..trees import children, walk
from .classes import FunctionNode, is_attribute_of
from .flow import binds, own_jumps, reads
from .values import Tag

if TYPE_CHECKING:
    from . import Facts

_MAKERS = frozenset({"torch.tensor", "torch.as_tensor"})
_NUMBERS = frozenset({"builtins.float", "builtins.int", "builtins.abs", "builtins.bool"})
_PLAIN = (ast.Constant, ast.Name, ast.Load, ast.BinOp, ast.UnaryOp, ast.Compare, ast.operator, ast.unaryop, ast.cmpop)


@dataclass(frozen=True, slots=True)
class Clock:
    """A loop whose condition can be worked out ahead.

    Attributes:
        loop: the loop.
        function: the function that holds it.
        before: the assignments above the loop that the condition follows from, in order.
        each: the assignments in the loop that it follows from, in order.
        settings: attributes of the instance that they read.
    """

    loop: ast.While
    function: FunctionNode
    before: tuple[ast.Assign, ...]
    each: tuple[ast.Assign | ast.AugAssign, ...]
    settings: tuple[str, ...]


def clock(loop: ast.While, facts: Facts) -> Clock | None:
    """How the condition follows from numbers alone, None where it does not."""
    function = facts.function_of(loop)
    if function is None or any(isinstance(j, ast.Continue) for j in own_jumps(loop.body)) or loop.orelse:
        return None
    each = _slice(loop.body, reads(loop.test))
    if not each:
        return None
    wanted = reads(loop.test, *each)
    changed = binds(*(s for s in loop.body if s not in each))
    before = _slice(_above(loop, facts), wanted)
    names = binds(*before) | binds(*each)
    effect = facts.effects.of([s for s in loop.body if s not in each])
    if names & (changed | effect.mutates) or not binds(*each) <= binds(*before):
        return None
    owner = facts.classes.owner(loop)
    expressions = [loop.test, *(s.value for s in [*before, *each])]
    if not all(_follows(e, names, owner[1] if owner else None, facts) for e in expressions):
        return None
    settings = {n.attr for e in expressions for n in walk(e) if owner is not None and is_attribute_of(n, owner[1])}
    if not all(isinstance(s, ast.Assign) for s in before):
        return None
    return Clock(
        loop, function, tuple(s for s in before if isinstance(s, ast.Assign)), tuple(each), tuple(sorted(settings))
    )


def _slice(body: Sequence[ast.stmt], wanted: set[str]) -> list[ast.Assign | ast.AugAssign]:
    """The plain assignments of a block that the names follow from, in order."""
    chosen: list[ast.Assign | ast.AugAssign] = []
    names, size = set(wanted), -1
    while size != len(chosen):
        size = len(chosen)
        chosen = [s for s in body if isinstance(s, (ast.Assign, ast.AugAssign)) and _single(s) in names]
        names |= reads(*chosen)
    return chosen


def _single(s: ast.Assign | ast.AugAssign) -> str | None:
    target = s.target if isinstance(s, ast.AugAssign) else s.targets[0] if len(s.targets) == 1 else None
    return target.id if isinstance(target, ast.Name) else None


def _above(loop: ast.While, facts: Facts) -> list[ast.stmt]:
    """The statements that run before the loop for certain, where it stands in the function's own block."""
    function = facts.function_of(loop)
    assert function is not None
    return function.body[: function.body.index(loop)] if loop in function.body else []


def _follows(expr: ast.expr, names: set[str], owner: str | None, facts: Facts) -> bool:
    """True where the expression is arithmetic on numbers of the instance, literals, and what follows from them."""
    queue: list[ast.AST] = [expr]
    while queue:
        node = queue.pop()
        if isinstance(node, ast.Call):
            known = facts.names.qualified(node.func)
            made = known in _MAKERS or known in _NUMBERS
            if not made or len(node.args) != 1 or any(k.arg != "dtype" for k in node.keywords):
                return False
            if any(not (facts.names.qualified(k.value) or "").startswith("torch.") for k in node.keywords):
                return False
            queue.append(node.args[0])
        elif isinstance(node, ast.Attribute):
            plain = owner is not None and is_attribute_of(node, owner)
            if not plain or not _constant(node, facts):
                return False
        elif isinstance(node, ast.Name):
            if node.id not in names:
                return False
        elif not isinstance(node, _PLAIN):
            return False
        else:
            queue.extend(children(node))
    return True


def _constant(node: ast.Attribute, facts: Facts) -> bool:
    """True for a number that only `__init__` sets, which Dynamo takes for a constant where a module holds it."""
    owner = facts.classes.owner(node)
    if owner is None or not owner[0].is_module or owner[0].is_rebound(node.attr):
        return False
    values = owner[0].attribute(node.attr)
    return bool(values) and facts.kinds.of(node).tag in (Tag.HOST, Tag.UNKNOWN) and not facts.kinds.of(node).is_tensor
