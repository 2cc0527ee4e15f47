"""What a function does on the host before anything else: it can run before the graph, as it stands and in order."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..trees import walk
from .flow import binds, reads
from .purity import CONTAINER_WRITES, PURE_METHODS
from .values import Tag

if TYPE_CHECKING:
    from . import Facts

_SIMPLE = (ast.Assign, ast.AnnAssign, ast.Expr)
# What may compute with tensors, belongs to its frame, or is not evaluated where it stands.
_OTHER = (
    *(ast.Lambda, ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom, ast.Starred, ast.JoinedStr, ast.IfExp),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)
_BUILTINS = frozenset({"len", "isinstance", "hasattr", "getattr", "id", "type", "str", "repr"})
_BUILTINS |= {"tuple", "list", "dict", "set", "frozenset"}
_METHODS = CONTAINER_WRITES | PURE_METHODS
_OF_DICTS = frozenset({"setdefault", "get", "keys", "values", "items"})  # tell what they are called on


def before(test: ast.expr, body: Sequence[ast.stmt], facts: Facts) -> tuple[ast.stmt, ...]:
    """The statements at the start of a body that give a condition its names, if all of them are bookkeeping.

    `state = self.state.setdefault(key, {})` for `"step" not in state`. Empty where there are none.
    """
    wanted = reads(test)
    last = max((i for i, s in enumerate(body) if binds(s) & wanted), default=-1)
    found = tuple(body[: last + 1])
    return found if all(_bookkeeping(s, facts) for s in found) else ()


def _bookkeeping(statement: ast.stmt, facts: Facts) -> bool:
    """True for what takes things from containers and puts them there, and computes with no tensor."""
    if not isinstance(statement, _SIMPLE):
        return False
    for node in walk(statement):
        match node:
            case ast.Call() if not _takes_or_puts(node, facts):
                return False
            case ast.BinOp() | ast.UnaryOp() | ast.Compare() | ast.BoolOp():
                if facts.kinds.of(node).tag is not Tag.HOST:
                    return False
            case ast.Subscript() if facts.kinds.of(node.value).is_tensor:
                return False
        if isinstance(node, _OTHER):
            return False
    return True


def _takes_or_puts(call: ast.Call, facts: Facts) -> bool:
    """`tuple(x.shape)`, `self.state.setdefault(key, {})`; a tensor is handed on at most."""
    func = call.func
    builtin = (facts.names.qualified(func) or "").partition("builtins.")[2]
    if builtin:
        return builtin in _BUILTINS and not any(facts.kinds.of(a).is_tensor for a in call.args)
    if not isinstance(func, ast.Attribute) or facts.names.qualified(func) is not None:
        return False
    on = facts.kinds.of(func.value).tag
    known = (on is Tag.UNKNOWN and func.attr in _OF_DICTS) or (on in (Tag.SEQUENCE, Tag.HOST) and func.attr in _METHODS)
    return known and facts.calls.target(call) is None
