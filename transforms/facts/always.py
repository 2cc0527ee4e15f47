"""Whether a parameter is a tensor in every call, also in those that leave early or take another arm."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..model import Level
from ..trees import named
from .classes import FunctionNode
from .flow import COMPREHENSIONS, own_jumps, past, reads, walk_scope
from .parameters import annotated, one_use
from .recorded import as_seen
from .values import UNKNOWN, Tag, Value

if TYPE_CHECKING:
    from . import Facts


def always_so(name: ast.Name, facts: Facts) -> bool:
    """False for a parameter that only some calls show to be the tensor for which it is taken.

    `if isinstance(scale, torch.Tensor): scale.sum()` says nothing of a call with a float.
    """
    value = facts.kinds.of(name)
    function = facts.function_of(name)
    if value.tag is not Tag.TENSOR or value.shape != ("of", name.id) or function is None:
        return True
    return facts.answer(always_so, (name.id, function), lambda: _always(name.id, function, facts))


def _always(name: str, function: FunctionNode, facts: Facts) -> bool:
    given = function.args
    parameter = next((a for a in [*given.posonlyargs, *given.args, *given.kwonlyargs] if a.arg == name), None)
    if parameter is None:
        return True
    claimed: Value = annotated(parameter.annotation, facts) or UNKNOWN
    if claimed.tag is Tag.TENSOR or as_seen(name, UNKNOWN, function, facts).level is Level.OBSERVED:
        return True
    uses = (node for node in named(function, name) if isinstance(node.ctx, ast.Load))
    return any(_tells(node, facts) and _runs_always(node, function, facts) for node in uses)


def _tells(node: ast.Name, facts: Facts) -> bool:
    found = one_use(node, facts)
    return found is not None and found.tag is Tag.TENSOR


def _reached(statement: ast.stmt, body: list[ast.stmt], name: str) -> bool:
    """True where nothing before a statement leaves its block, but by an error that has nothing to do with a name."""
    before = body[: body.index(statement)]
    return past(s for s in before if name in reads(s) or not _only_raises(s)) == []


def _only_raises(statement: ast.stmt) -> bool:
    return not list(own_jumps([statement])) and not any(isinstance(n, ast.Return) for n in walk_scope(statement))


def _runs_always(node: ast.Name, function: FunctionNode, facts: Facts) -> bool:
    """True where each call of the function comes by the node, unless it raises before."""
    child: ast.AST = node
    for around in facts.names.ancestors(node):
        match around:
            case ast.BoolOp() if child is not around.values[0]:
                return False
            case ast.IfExp() | ast.If() | ast.While() if child is not around.test:
                return False
            case ast.For() if child is not around.iter:
                return False
            case ast.FunctionDef() | ast.With():
                if isinstance(child, ast.stmt) and not _reached(child, around.body, node.id):
                    return False
            case ast.Try() | ast.Lambda() | ast.AsyncFunctionDef() | ast.Match() | ast.ClassDef():
                return False
            case _ if isinstance(around, COMPREHENSIONS):
                if child is not around.generators[0]:
                    return False
            case ast.comprehension() if child is not around.iter:
                return False
        if around is function:
            return True
        child = around
    return False
