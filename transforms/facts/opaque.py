"""Functions of integer tensors with insides that Dynamo can not trace, whose results have shapes that it could."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..model import NoFix
from ..trees import walk
from . import torch_api
from .bindings import RESHAPING
from .effects import Effect
from .flow import binds, reads, walk_scope
from .operations import unpacks
from .values import Tag, Value, category

if TYPE_CHECKING:
    from . import Facts

_COMPOUND = (ast.For, ast.While, ast.If, ast.With, ast.Try)
_SCALARS = {"int": "int", "bool": "bool", "float": "float", "str": "str"}


@dataclass(frozen=True, slots=True)
class Opaque:
    """A function that runs as one op, its body as it is.

    Attributes:
        function: the function.
        schema: its parameters and results, in the words of torch's schemas.
        shaping: the statements that make tensors of the same shapes, dtypes and devices as the results, in order.
    """

    function: ast.FunctionDef
    schema: str
    shaping: tuple[ast.stmt, ...]


def opaque(function: ast.FunctionDef, facts: Facts) -> Opaque | NoFix | None:
    """How the function can run as one op; None where its results are not integers or masks."""
    returns = [n for n in walk_scope(*function.body) if isinstance(n, ast.Return)]
    if len(returns) != 1 or returns[0] is not function.body[-1] or returns[0].value is None:
        return None
    results = returns[0].value.elts if isinstance(returns[0].value, ast.Tuple) else [returns[0].value]
    values = [facts.kinds.of(r) for r in results]
    floats = facts.kinds.floats(function)
    if not all(v.is_tensor and not v.optional and category(v.dtype, floats) in ("int", "bool") for v in values):
        return None
    taken = _schema(function, facts)
    refused = taken if isinstance(taken, NoFix) else _effects(function, facts) or _aliases(function, results, values)
    if isinstance(refused, NoFix):
        return refused
    shaping = _shaping(function, facts)
    if isinstance(shaping, NoFix):
        return shaping
    given = "Tensor" if len(results) == 1 else f"({', '.join(['Tensor'] * len(results))})"
    return Opaque(function, f"{taken} -> {given}", shaping)


def _schema(function: ast.FunctionDef, facts: Facts) -> str | NoFix:
    """The parameters in the words of a schema."""
    a = function.args
    if a.vararg or a.kwarg or a.posonlyargs or a.kwonlyargs or a.defaults:
        return NoFix("its parameters are not all plain ones without defaults")
    start = facts.kinds.before(function.body[0])
    words = []
    for parameter in a.args:
        value = start.get(parameter.arg)
        if value is not None and value.is_tensor and not value.optional:
            words.append(f"Tensor {parameter.arg}")
        elif value is not None and value.tag is Tag.HOST and value.detail in _SCALARS and parameter.annotation:
            words.append(f"{_SCALARS[value.detail]} {parameter.arg}")
        else:
            return NoFix(f"`{parameter.arg}` is not known to be a tensor or a number")
    return f"({', '.join(words)})" if words else NoFix("it takes no tensor")


def _effects(function: ast.FunctionDef, facts: Facts) -> NoFix | None:
    """Refuse what an op must not do."""
    effect = facts.effects.of_function(function)
    seen = Effect(stores=effect.stores, io=effect.io, unknown=effect.unknown, random=effect.random, state=effect.state)
    seen.mutates |= effect.storage
    if not seen.pure:
        return NoFix(f"it can not be an op: {seen.why_impure}")
    if effect.jumps & {"yield"} or any(isinstance(n, ast.Lambda) for n in walk(function)):
        return NoFix("it can not be an op: it runs other code in between")
    return facts.sinks.caught(function.body[-1]) if effect.raises else None


def _aliases(function: ast.FunctionDef, results: Sequence[ast.expr], values: Sequence[Value]) -> NoFix | None:
    """Refuse results that share memory with each other or with what is given."""
    if any(v.roots for v in values):
        return NoFix("a result shares memory with what it is given")
    used: set[str] = set()
    for result in results:
        own = set(_sharing(result))
        while more := {n for o in own for n in _bound_to(o, function)} - own:
            own |= more
        if own & used:
            return NoFix("two results may share memory")
        used |= own
    return None


def _bound_to(name: str, function: ast.FunctionDef) -> Iterator[str]:
    for node in walk_scope(*function.body):
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(n, ast.Name) and n.id == name for t in targets for n in walk(t)):
                yield from _sharing(node.value)
        elif isinstance(node, ast.For) and any(isinstance(n, ast.Name) and n.id == name for n in walk(node.target)):
            yield from _sharing(node.iter)


def _sharing(e: ast.expr) -> Iterator[str]:
    """The names whose memory the value of an expression may share."""
    match e:
        case ast.Name():
            yield e.id
        case ast.BinOp() | ast.Compare() | ast.UnaryOp() | ast.Constant():
            return
        case ast.Call(func=ast.Attribute(attr=method)) if (op := torch_api.method(method)) and op.alias == "fresh":
            return
        case _:
            yield from (n.id for n in walk(e) if isinstance(n, ast.Name))


# ---- the shapes -----------------------------------------------------------------------------------------------------
def _shaping(function: ast.FunctionDef, facts: Facts) -> tuple[ast.stmt, ...] | NoFix:
    """The slice of the body that makes the results, without what only writes into them."""
    needed = reads(function.body[-1])
    kept: list[ast.stmt] = [function.body[-1]]
    for statement in reversed(function.body[:-1]):
        bound = _rebinds(statement, facts)
        reshaped = _reshapes(statement, needed)
        if reshaped is not None:
            return NoFix(f"`{reshaped}` may change the shape of what is written into")
        if not bound & needed:
            continue
        if isinstance(statement, _COMPOUND) and not isinstance(statement, (ast.For, ast.If)):
            return NoFix(f"`{min(bound & needed)}` is bound in a statement that may not run")
        kept.insert(0, statement)
        needed |= reads(statement)
    effect = facts.effects.of(kept)
    if effect.reads or effect.breaks or effect.raises:
        line = effect.reads[0] if effect.reads else kept[0].lineno
        return NoFix(f"the shapes of its results depend on values (line {line})")
    return tuple(kept)


def _rebinds(statement: ast.stmt, facts: Facts) -> set[str]:
    """The names that the statement binds anew; an operator in place writes into the tensor it is given."""
    found: set[str] = set()
    for node in walk_scope(statement):
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            known = facts.kinds.before(node).get(node.target.id)
            if known is None or not known.is_tensor or known.optional:
                found.add(node.target.id)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
            if not isinstance(facts.names.parent(node), ast.AugAssign):
                found.add(node.id)
        elif isinstance(node, (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)):
            found |= binds(node)
    return found


def _reshapes(statement: ast.stmt, needed: set[str]) -> str | None:
    """An operation that may change a needed tensor's shape in place."""
    for node in walk_scope(statement):
        match node:
            case ast.Call(func=ast.Attribute(attr=method, value=base)):
                odd = method in RESHAPING or (unpacks(node) and method.endswith("_"))
                if odd and needed & reads(base):
                    return f"{ast.unparse(node.func)}(…)"
            case ast.Attribute(attr="data", ctx=ast.Store(), value=base) if needed & reads(base):
                return ast.unparse(node)
    return None
