"""Branches on a tensor whose only arm changes tensors in place: which ones, and why a graph may do it in any case."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..model import NoFix
from ..trees import walk
from . import torch_api
from .cheap import light
from .exits import exit_of
from .flow import binds
from .idle import idle
from .predicates import Predicate, graph_form
from .values import Tag

if TYPE_CHECKING:
    from . import Facts

SHARING = frozenset({"detach", "view_as"})  # methods whose result is the same memory, all of it
_WRITES = frozenset({"mul_", "add_", "sub_", "div_", "copy_", "fill_", "zero_", "clamp_", "lerp_", "neg_", "addcmul_"})
_WRITES |= {"clamp_min_", "clamp_max_", "masked_fill_", "addcdiv_", "nan_to_num_", "relu_", "sqrt_", "abs_"}


@dataclass(frozen=True, slots=True)
class Update:
    """A branch that only updates tensors.

    Attributes:
        node: the `if`.
        host: leading conjuncts that are Python values; they stay in an `if`.
        tensor: its predicate.
        targets: tensors, and lists of tensors, that the arm changes, as expressions.
    """

    node: ast.If
    host: tuple[ast.expr, ...]
    tensor: ast.expr
    targets: tuple[ast.expr, ...]

    @property
    def changes(self) -> tuple[str, ...]:
        """What differs in compiled code."""
        return tuple(
            f"storage: compiled code writes to `{ast.unparse(t)}` in any case, if need be what it holds"
            for t in self.targets
        )


def updating(node: ast.If, predicate: Predicate, facts: Facts) -> Update | NoFix | None:
    """The branch taken apart, or why it stays; None where the arm does anything else."""
    function = facts.function_of(node)
    if function is None or node.orelse or idle(node, facts) is not None:
        return None
    targets = list(_targets(node.body, {}, facts))
    if not targets or None in targets:
        return None
    effect, flow = facts.effects.of(node.body), facts.flow(function)
    # What is no tensor, and has a method of that name all the same, is told apart when it runs.
    written = {ast.unparse(n.func) for s in node.body for n in walk(s) if isinstance(n, ast.Call)}
    written = {w for w in written if w.rpartition(".")[2] in _WRITES}
    if effect.stores or effect.io or set(effect.unknown) - written or effect.random or effect.raises:
        return None
    if effect.reads or effect.breaks:
        return None
    if binds(*node.body) & (flow.live_after(node) | flow.entering(list(node.body), frozenset()) | flow.always_live):
        return NoFix("the arm binds a name that is used outside of it")
    form = graph_form(predicate.tensor, facts, ast.unparse)
    if isinstance(form, NoFix):
        return form
    unique = {ast.unparse(t): t for t in targets if t is not None}
    return Update(node, predicate.host, predicate.tensor, tuple(unique.values()))


def decided_elsewhere(node: ast.If, predicate: Predicate, facts: Facts) -> bool:
    """True where `branch-store`, `tensor-loop-exit`, `branch-update` or `emptiness-test` (TR104 to 108) sees to it."""
    if idle(node, facts) is not None or facts.stores.of(node) is not None or exit_of(node, facts) is not None:
        return True
    return isinstance(updating(node, predicate, facts), Update)


def _targets(body: Sequence[ast.stmt], held: Mapping[str, ast.expr], facts: Facts) -> Iterator[ast.expr | None]:
    """What the statements change; None for one that does anything but change a tensor, or costs or raises."""
    for s in body:
        match s:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=base, attr=name)) as call):
                given = [*call.args, *(k.value for k in call.keywords)]
                plain = name in _WRITES and torch_api.method(name) is not None and light(given, facts, dims=True)
                yield _target(base, held, facts) if plain else None
            case ast.Assign(targets=[ast.Name()]):
                if not light([s.value], facts, dims=True):
                    yield None
            case ast.For(target=target, iter=iterated, orelse=[]):
                names = _elements(target, iterated, facts)
                if names is None:
                    yield None
                else:
                    yield from _targets(s.body, {**held, **names}, facts)
            case _:
                yield None


def _target(base: ast.expr, held: Mapping[str, ast.expr], facts: Facts) -> ast.expr | None:
    while isinstance(base, ast.Call) and isinstance(base.func, ast.Attribute) and base.func.attr in SHARING | _WRITES:
        if not light([*base.args, *(k.value for k in base.keywords)], facts, dims=True):
            return None
        base = base.func.value
    if isinstance(base, ast.Attribute) and base.attr == "data":
        base = base.value
    if isinstance(base, ast.Name) and base.id in held:
        return held[base.id]
    place = isinstance(base, ast.Name) or (isinstance(base, ast.Attribute) and isinstance(base.value, ast.Name))
    return base if place and facts.kinds.of(base).is_tensor else None


def _elements(target: ast.expr, iterated: ast.expr, facts: Facts) -> dict[str, ast.expr] | None:
    """What the names of a loop over lists of tensors are elements of."""
    many = isinstance(iterated, ast.Call) and facts.names.qualified(iterated.func) == "builtins.zip"
    held = iterated.args if many and isinstance(iterated, ast.Call) and not iterated.keywords else [iterated]
    names = target.elts if isinstance(target, ast.Tuple) else [target]
    places = all(
        isinstance(h, ast.Name) or (isinstance(h, ast.Attribute) and isinstance(h.value, ast.Name)) for h in held
    )
    if not places or len(names) != len(held) or isinstance(target, ast.Tuple) is not many:
        return None
    if any(facts.kinds.of(h).tag not in (Tag.SEQUENCE, Tag.UNKNOWN, Tag.TENSOR) for h in held):
        return None
    return {n.id: h for n, h in zip(names, held, strict=True) if isinstance(n, ast.Name)}
