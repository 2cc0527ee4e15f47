"""What may be evaluated at the start of a function as well as where it stands."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..trees import walk
from .baked import bakes
from .classes import FunctionNode
from .counters import Counting
from .draws import draws
from .effects import Effect
from .flow import LEAVING, binds, past, reads, walk_scope
from .once import once
from .predicates import holds_tensor, total
from .values import Tag, category

if TYPE_CHECKING:
    from . import Facts


CONTEXTS = (ast.With, ast.AsyncWith, ast.Match)
TRACED = frozenset({"numpy", "cpu", "to", "cuda"})  # they copy to the host, but Dynamo traces them


class Moves:
    """What of one function may move to its start, seen statement by statement."""

    def __init__(self, facts: Facts, function: FunctionNode, counting: Counting | None, numbers: bool) -> None:
        self.numbers = numbers
        self.facts = facts
        self.function = function
        self.counting = counting
        self.flow = facts.flow(function)
        body = function.body
        self.body = body[1:] if ast.get_docstring(function, clean=False) is not None else body
        owner = facts.classes.of_function(function)
        self.owner = self.flow.parameters[0] if owner is not None and self.flow.parameters else None
        self.parameters = set(self.flow.parameters) - {self.owner}
        self.moved: list[ast.stmt] = []
        self.available = set(self.parameters)  # names that the outer function knows with their value
        self.around: list[ast.AST] = []  # what runs before a nested flag: the statement that holds it
        self.skipped: list[ast.stmt] = []  # statements that a later hoisted one is moved across
        self.first: tuple[ast.stmt, ...] = ()  # statements at the start that move in any case
        self.dropped: list[ast.expr] = []  # conditions that could not come along with what they guard
        self.drawn: set[int] = set()  # calls that draw random numbers, and move
        self.decided: set[int] = set()  # what is computed outside of such, and so known to what follows
        self.barred: tuple[ast.expr, ast.expr] | None = None  # what would be asked in every call, and its condition

    @functools.cached_property
    def draws(self) -> list[ast.Call]:
        """The calls of the function that draw random numbers in Python, in textual order."""
        return sorted(draws(self.function, self.facts), key=lambda c: (c.lineno, c.col_offset))

    def sites_in(self, statement: ast.stmt) -> Iterator[ast.expr]:
        """Expressions of the statement that read tensors on the host, outermost first."""
        for node in walk_scope(statement):
            if isinstance(node, (ast.If, ast.While, ast.IfExp, ast.Assert)) and holds_tensor(node.test, self.facts):
                yield node.test
            elif isinstance(node, ast.UnaryOp) and self.negates(node):
                yield node.operand
            elif (isinstance(node, ast.Call) and (self.reads(node) or self.bakes(node))) or (
                isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and self.masked(node)
            ):
                yield node

    def negates(self, node: ast.UnaryOp) -> bool:
        """True for the value `not x` of a tensor; as a condition it is told by what it decides."""
        decides = isinstance(self.facts.names.parent(node), (ast.If, ast.While, ast.IfExp, ast.Assert, ast.UnaryOp))
        return isinstance(node.op, ast.Not) and not decides and self.facts.kinds.of(node.operand).is_tensor

    def reads(self, call: ast.Call) -> bool:
        """True for a call that copies a tensor to the host, or has a shape that depends on values."""
        return _reads(call, self.facts)

    def bakes(self, call: ast.Call) -> bool:
        """True for a call that puts a number that varies into the graph."""
        return self.numbers and bakes(call, self.function, self.facts)

    def masked(self, node: ast.AST) -> bool:
        """True for an index that is a mask."""
        if not isinstance(node, ast.Subscript):
            return False
        index = self.facts.kinds.of(node.slice)
        unknown = self.facts.kinds.of(node.value).tag is Tag.UNKNOWN  # what takes a mask is a tensor
        chosen = unknown and index.is_tensor and category(index.dtype) == "bool"
        return chosen or bool(self.facts.effects.of([node]).breaks)

    def movable(self, statement: ast.stmt) -> bool:
        """True where the statement computes locals from the inputs alone, and what stands before it does not matter."""
        if not isinstance(statement, (ast.Assign, ast.AnnAssign, ast.If, ast.AugAssign)) or (
            isinstance(statement, ast.AnnAssign) and not statement.value
        ):
            return False
        if any(
            isinstance(n, (ast.Return, ast.Raise, ast.Assert, ast.Delete, ast.Lambda, ast.FunctionDef, ast.NamedExpr))
            for n in walk(statement)
        ):
            return False
        targets = binds(statement)
        if not targets or any(targets & reads(s) or targets & binds(s) for s in self.skipped):
            return False
        if (self.exits() or self.observed()) and not all(
            total(n, self.facts, dtypes=True) for n in walk_scope(statement) if isinstance(n, ast.expr)
        ):
            return False  # it would raise where the original has left already
        return self.input_only([statement], reads(statement) - (targets - self.available))

    def input_only(self, nodes: list[ast.AST], names: set[str]) -> bool:
        """True where evaluating the nodes at the start of the function gives the same, and changes nothing."""
        effect = self.facts.effects.of(nodes)
        if (
            effect.mutates
            or effect.stores
            or effect.io
            or effect.unknown
            or effect.random
            or effect.state
            or effect.raises
        ):
            return False
        if effect.jumps or any("statement" in b for b in effect.breaks):
            return False
        local = binds(*self.function.body) | self.parameters
        if any(n in local and n not in self.available for n in names):
            return False
        before = self.facts.effects.of([*self.skipped, *self.around])
        for root in nodes:
            for node in walk_scope(root):
                if isinstance(node, ast.expr) and not self._stable(node, before):
                    return False
        return True

    def _stable(self, node: ast.expr, before: Effect) -> bool:
        """True where the value read by the node is the same at the start of the function."""
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            value = self.facts.kinds.of(node)
            if node.id == self.owner:
                return self._plain_self(node)
            if node.id in before.mutates or value.roots & before.mutates:
                return False
            if any(s.partition(".")[0] == node.id for s in before.stores):
                return False
            if value.tag in (Tag.TENSOR, Tag.UNKNOWN) and any(not w.startswith("self.") for w in before.written):
                return False  # two inputs may share memory
            if node.id in self.available:
                return True
            return (
                value.tag is not Tag.UNKNOWN and not any(d.startswith("global") for d in value.deps)
            ) or self._constant_global(node)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == self.owner:
            owner = self.facts.classes.owner(node)
            mark = f"self.{node.attr}"
            if (
                owner is None
                or mark in before.mutates
                or mark in before.stores
                or f"{self.owner}.{node.attr}" in before.stores
            ):
                return False
            value = self.facts.kinds.of(node)
            if (held := self.facts.calls.instance(node)) is not None:
                around = self.facts.names.parent(node)
                if not isinstance(around, ast.Attribute) or owner[0].is_rebound(node.attr):
                    return False
                values = held.attribute(around.attr)
                setting = bool(values) and all(self.facts.kinds.of(v).tag is Tag.HOST for v in values)
                return setting and not held.is_rebound(around.attr)
            changing = owner[0].is_rebound(node.attr) and bool(before.unknown)
            return not changing and (
                value.tag in (Tag.HOST, Tag.NONE, Tag.CALLABLE) or (value.tag is Tag.TENSOR and not before.unknown)
            )
        return True

    def _constant_global(self, node: ast.Name) -> bool:
        """A function, class or constant of the module, that nothing rebinds."""
        value = self.facts.kinds.of(node)
        if value.tag is Tag.CALLABLE:
            return True
        bound = self.facts.names.binding(node)
        return bound is not None and bound.scope.kind == "module" and bound.single and value.tag is Tag.HOST

    def _plain_self(self, node: ast.Name) -> bool:
        """`self` may only stand before a dot."""
        return isinstance(self.facts.names.parent(node), ast.Attribute)

    def guards(
        self, expr: ast.expr, guards: tuple[tuple[ast.expr, bool], ...], condition: bool
    ) -> tuple[tuple[ast.expr, bool], ...] | None:
        """The conditions to keep around the expression; None where one of them must be kept and cannot move.

        Around what never raises, those are kept that ask the inputs alone: it is computed no oftener than before.
        """
        sure = total(expr, self.facts, condition, dtypes=True)
        exits, observed = past(self.skipped), self.observed()
        if not sure and (exits is None or observed):
            return None
        kept: list[tuple[ast.expr, bool]] = []
        for test, holds in guards if sure else [*(exits or ()), *guards]:
            if id(test) in self.decided:
                kept.append((test, holds))
                continue
            known = self._known_before(test)
            if known and not (sure and self._asks_more(test)):
                kept.append((test, holds))
                continue
            self.dropped.append(test)
            if sure and not known and not holds_tensor(test, self.facts):
                self.barred = self.barred or (expr, test)
                return None
            return tuple(kept) if sure else None  # a condition may stand on those before it
        return tuple(kept)

    def _above(self, test: ast.expr) -> list[ast.AST]:
        """What holds the statement of a condition, which is asked before that statement does anything."""
        return self.around[: next((i for i, n in enumerate(self.around) if getattr(n, "test", None) is test), None)]

    def _known_before(self, test: ast.expr) -> bool:
        """True where a condition is the same at the start of the function."""
        around, self.around = self.around, self._above(test)
        try:
            return not holds_tensor(test, self.facts) and self.input_only([test], reads(test))
        finally:
            self.around = around

    def _asks_more(self, test: ast.expr) -> bool:
        """True where asking a condition early may raise, or has other statements move for its sake."""
        moves = reads(test) & binds(*(s for s in self.moved if s not in self.first))
        early = not (self.skipped or self._above(test))
        return bool(moves) or not (early or total(test, self.facts))

    def observed(self) -> bool:
        """True where a caller could tell that an exception comes before what the statements before would have done."""
        done = self.facts.effects.of(self.skipped)
        moved = {ast.unparse(c.func) for c in self.draws if id(c) in self.drawn}
        others = set(done.unknown) - moved
        return bool(done.io or done.mutates or done.stores or others or done.random or done.state)

    def exits(self) -> bool:
        """True where a statement before may leave the function."""
        return any(isinstance(n, LEAVING) for s in self.skipped for n in walk_scope(s))


@once
def _reads(call: ast.Call, facts: Facts) -> bool:
    if isinstance(call.func, ast.Attribute) and call.func.attr in TRACED:
        return False
    if facts.scalars.stays(call):
        return False
    if facts.sites.likely(call):
        return True
    own = Effect()
    facts.effects.node(call, own)
    return bool(own.reads) or bool(own.breaks)
