"""Loops over experts that gather the rows routed to each: what computing all rows, with a mask behind, needs."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..model import NoFix
from ..trees import walk
from .effects import Effect
from .flow import binds, reads, walk_scope
from .rows import Rows

if TYPE_CHECKING:
    from . import Facts


@dataclass(frozen=True, slots=True)
class Hits:
    """`mask.nonzero()` in some form, over whose result the loop runs; `rows` where its elements are rows of one."""

    node: ast.expr
    mask: ast.expr
    rows: bool


@dataclass(frozen=True, slots=True)
class Experts:
    """A loop that can compute all rows.

    Attributes:
        loop: the loop.
        hits: what it runs over, None where it runs over all experts already.
        where: the call that gives the places of the rows, and whether only the first axis is taken of it.
        mask: what it selects by.
        added: the values of the `index_add_` calls.
        stored: the values of `out[rows] = value`, each with its target.
    """

    loop: ast.For
    hits: Hits | None
    where: ast.expr
    mask: ast.expr
    first: bool
    added: tuple[ast.expr, ...]
    stored: tuple[tuple[ast.Assign, ast.Subscript], ...]


def experts(loop: ast.For, facts: Facts) -> Experts | NoFix | None:
    """The plan for a loop; None where it gathers no rows by a mask."""
    found = [(s, m) for s in _statements(loop) if (m := places(s, facts)) is not None]
    if len(found) != 1 or loop.orelse or not isinstance(loop.target, (ast.Name, ast.Tuple)):
        return None
    statement, (where, mask, first) = found[0]
    return _Search(loop, statement, where, mask, first, facts).plan()


def _statements(loop: ast.For) -> Iterator[ast.Assign]:
    for node in walk_scope(*loop.body):
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            yield node


def places(s: ast.Assign, facts: Facts) -> tuple[ast.expr, ast.expr, bool] | None:
    """`i, j = torch.where(mask)` and its like: the expression, the mask, and whether it is the first axis alone."""
    value, first = s.value, False
    whole = value
    if isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Constant) and value.slice.value == 0:
        value, first = value.value, True
    if not isinstance(value, ast.Call):
        return None
    tuples = [k for k in value.keywords if k.arg == "as_tuple"]
    as_tuple = bool(tuples) and isinstance(tuples[0].value, ast.Constant) and tuples[0].value.value is True
    name = facts.names.qualified(value.func)
    if name == "torch.where" and len(value.args) == 1 and not value.keywords:
        mask: ast.expr = value.args[0]
    elif name == "torch.nonzero" and len(value.args) == 1 and as_tuple:
        mask = value.args[0]
    elif isinstance(value.func, ast.Attribute) and value.func.attr == "nonzero" and not value.args and as_tuple:
        mask = value.func.value
    else:
        return None
    target = s.targets[0]
    fits = isinstance(target, ast.Name) if first else isinstance(target, ast.Tuple)
    plain = all(isinstance(t, ast.Name) for t in getattr(target, "elts", [target]))
    return (whole, mask, first) if fits and plain else None


class _Search:
    def __init__(
        self, loop: ast.For, statement: ast.Assign, where: ast.expr, mask: ast.expr, first: bool, facts: Facts
    ) -> None:
        self.loop = loop
        self.statement = statement
        self.where = where
        self.mask = mask
        self.first = first
        self.facts = facts
        target = statement.targets[0]
        self.places = [t.id for t in getattr(target, "elts", [target]) if isinstance(t, ast.Name)]
        self.rows = Rows(self.places, first, facts)

    def plan(self) -> Experts | NoFix:
        hits = self._hits()
        if isinstance(hits, NoFix):
            return hits
        if not self.first and len(self.places) > 2:
            return NoFix("the mask has more than two axes")
        refused = self._effects() or self._outside() or self._index(hits)
        refused = refused or changed_mask(self.mask, list(self._below()), self.facts)
        for s in self._below():
            refused = refused or self.rows.statement(s)
        if refused is None and not self.rows.added and not self.rows.stored:
            refused = NoFix("what is computed for the rows is added to nothing")
        if refused is not None:
            return refused
        added, stored = tuple(self.rows.added), tuple(self.rows.stored)
        return Experts(self.loop, hits, self.where, self.mask, self.first, added, stored)

    # -- what the loop runs over ---------------------------------------------------------------------------------------
    def _hits(self) -> Hits | NoFix | None:
        """The experts with rows; all others change nothing, as their masks select nothing."""
        iterated = self.loop.iter
        if not isinstance(iterated, ast.Name):
            counted = isinstance(iterated, ast.Call) and self.facts.names.qualified(iterated.func) in (
                "builtins.range",
                "builtins.enumerate",
            )
            return None if counted else NoFix(f"nothing tells that `{ast.unparse(iterated)}` runs over all experts")
        value = self.facts.names.single_value(iterated)
        node, rows = value, True
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("tolist", "squeeze")
        ):
            node, rows = node.func.value, False
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and node.slice.value == 0:
            node, rows = node.value, False
        called = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "nonzero"
        if value is None or not called:
            return NoFix(f"nothing tells that `{iterated.id}` holds the experts that were hit")
        assert isinstance(node, ast.Call)
        assert isinstance(node.func, ast.Attribute)
        mask = node.func.value
        function = self.facts.function_of(self.loop)
        loads = [n for n in walk(function or self.loop) if isinstance(n, ast.Name) and n.id == iterated.id]
        if len(loads) != 2:
            return NoFix(f"`{iterated.id}` is used in another way too")
        return Hits(value, mask, rows) if self._covers(mask) else NoFix("nothing tells that others have no rows")

    def _covers(self, hit: ast.expr) -> bool:
        """True for `greater(experts.sum(…), 0)` of the tensor that the loop takes its mask from."""
        base = self._mask_source()
        sums = [
            n
            for n in walk(hit)
            if isinstance(n, ast.Call)
            and isinstance(n.func, ast.Attribute)
            and n.func.attr in ("sum", "any")
            and isinstance(n.func.value, ast.Name)
            and n.func.value.id == base
        ]
        positive = isinstance(hit, ast.Call) and self.facts.names.qualified(hit.func) in ("torch.greater", "torch.gt")
        positive |= isinstance(hit, ast.Compare) and isinstance(hit.ops[0], ast.Gt)
        return len(sums) == 1 and (positive or sums[0] is hit) and self._counts(base)

    def _mask_source(self) -> str:
        """The name of the tensor in `experts[i]`."""
        mask = self.mask
        if isinstance(mask, ast.Name):
            mask = self.facts.names.single_value(mask) or mask
        return mask.value.id if isinstance(mask, ast.Subscript) and isinstance(mask.value, ast.Name) else ""

    def _counts(self, name: str) -> bool:
        """True where nothing negative is in the tensor: it comes from `one_hot`, or from a comparison."""
        function = self.facts.function_of(self.loop)
        values = [
            n.value
            for n in walk(function or self.loop)
            if isinstance(n, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in n.targets)
        ]
        return bool(values) and all(self._one_hot(v, name) for v in values)

    def _one_hot(self, value: ast.expr, name: str) -> bool:
        while (
            isinstance(value, ast.Call)
            and isinstance(value.func, ast.Attribute)
            and value.func.attr
            in (
                "permute",
                "transpose",
                "to",
                "bool",
            )
        ):
            value = value.func.value
        called = self.facts.names.qualified(value.func) if isinstance(value, ast.Call) else None
        return (
            isinstance(value, ast.Compare)
            or called == "torch.nn.functional.one_hot"
            or (isinstance(value, ast.Name) and value.id == name)
        )

    # -- what the body does --------------------------------------------------------------------------------------------
    def _effects(self) -> NoFix | None:
        effect = self.facts.effects.of(self.loop.body)
        shown = Effect(stores=effect.stores, io=effect.io, random=effect.random, state=effect.state)
        if not shown.pure:
            return NoFix(f"running every expert would show: {shown.why_impure}")
        if effect.jumps - {"continue"}:
            return NoFix("the loop is left in between")
        return None

    def _outside(self) -> NoFix | None:
        """Refuse names of the loop that are read behind it."""
        function = self.facts.function_of(self.loop)
        assert function is not None
        inner = {id(n) for n in walk(self.loop)}
        names = binds(*self.loop.body) | binds(self.loop.target)
        for node in walk(function):
            late = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.lineno > self.loop.lineno
            if late and id(node) not in inner and node.id in names:  # type: ignore[attr-defined]
                return NoFix(f"`{node.id}` is read behind the loop")  # type: ignore[attr-defined]
        return None

    def _index(self, hits: Hits | None) -> NoFix | None:
        """Refuse uses of the expert's number that need a tensor."""
        if hits is None or not isinstance(self.loop.target, ast.Name):
            return None if hits is None else NoFix("the number of the expert has no name")
        name = self.loop.target.id
        for node in walk(self.loop):
            if not (isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)):
                continue
            above = self.facts.names.parent(node)
            indexes = isinstance(above, ast.Subscript)
            if not indexes and not isinstance(above, ast.Compare):
                return NoFix(f"`{ast.unparse(above or node)}` may need the number of the expert as a tensor")
        return None

    def _below(self) -> Iterator[ast.stmt]:
        """The statements behind that which gives the places, conditions on the number of rows looked into."""
        yield from _behind(self.loop.body, self.statement)


def changed_mask(mask: ast.expr, statements: Sequence[ast.stmt], facts: Facts) -> NoFix | None:
    """Refuse a mask that is another one where the rows are stored."""
    changed = (binds(*statements) | facts.effects.of(statements).mutates) & reads(mask)
    return NoFix(f"`{min(changed)}` is changed before the rows are stored") if changed else None


def _behind(body: Sequence[ast.stmt], statement: ast.stmt) -> list[ast.stmt]:
    for i, s in enumerate(body):
        if s is statement:
            return list(body[i + 1 :])
        if any(n is statement for n in walk(s)):
            return [*_behind(getattr(s, "body", []), statement), *body[i + 1 :]]
    return []


__all__ = ["Experts", "Hits", "changed_mask", "experts", "places"]
