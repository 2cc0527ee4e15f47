"""Numbers that an instance counts in its compiled entry: what of the counting can run in Python around the graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..model import NoFix
from ..trees import children, walk
from .classes import ClassInfo, FunctionNode, is_attribute_of
from .flow import COMPREHENSIONS, SCOPES, binds, reads, walk_scope
from .numbers import CALM, NumberCode, Store
from .values import Tag

if TYPE_CHECKING:
    from . import Facts

EXITS = (ast.Return, ast.Raise, ast.Assert)
BRANCHING = (ast.If, ast.IfExp, ast.BoolOp, ast.For, ast.While, *COMPREHENSIONS)
PASSED_ON = (ast.Add, ast.Sub, ast.Mult)  # the graph holds this arithmetic on an int that varies
KEEPING = "keep the count in the caller, or set `torch._dynamo.config.allow_unspec_int_on_nn_module = True`"


@dataclass(frozen=True, slots=True)
class Counting:
    """How an entry's own numbers leave the graph.

    Attributes:
        sites: the statements that count.
        state: the attributes concerned.
        before: statements of the body that run before the graph, in order.
        after: statements of the body that run after the graph, in order.
        reads: what the graph needs of the numbers: expressions computed before it, and if only their truth counts.
        changes: what a caller could observe; empty where nothing that may raise is crossed.
    """

    sites: tuple[Store, ...]
    state: frozenset[str]
    before: tuple[ast.stmt, ...]
    after: tuple[ast.stmt, ...]
    reads: tuple[tuple[ast.expr, bool], ...]
    changes: tuple[str, ...]


class Counters:
    """The counters of one file, per function."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._known: dict[FunctionNode, Counting | NoFix | None] = {}

    def of(self, function: FunctionNode) -> Counting | NoFix | None:
        """How the counting of a method leaves its graph; None where it counts nothing."""
        if function not in self._known:
            study = _Study.begin(self._facts, function)
            self._known[function] = study.result() if study is not None else None
        return self._known[function]

    def sites(self, function: FunctionNode) -> tuple[Store, ...]:
        """The statements by which a method counts on its instance."""
        study = _Study.begin(self._facts, function)
        return study.sites if study is not None else ()


class _StaysError(Exception):
    """The counting cannot leave the graph; the only argument says why."""


class _Study(NumberCode):
    """The study of one method."""

    def __init__(self, facts: Facts, function: FunctionNode, info: ClassInfo, owner: str) -> None:
        super().__init__(facts, function, info, owner)
        self.before: list[ast.stmt] = []
        self.after: list[ast.stmt] = []
        self.skipped: list[ast.stmt] = []
        self.movable: list[ast.stmt] = []
        self.available = set(self.parameters)
        self.guards: list[ast.stmt] = []
        self.crossed: dict[str, str] = {}

    @classmethod
    def begin(cls, facts: Facts, function: FunctionNode) -> _Study | None:
        """A study of a method that counts, None for any other function."""
        info = facts.classes.of_function(function)
        parameters = facts.flow(function).parameters
        if info is None or not parameters or function.name in ("__init__", "__post_init__", "setup"):
            return None
        if {facts.names.qualified(d) for d in function.decorator_list} & {
            "builtins.staticmethod",
            "builtins.classmethod",
            "builtins.property",
        }:
            return None
        study = cls(facts, function, info, parameters[0])
        return study if study.sites else None

    def result(self) -> Counting | NoFix:
        """The counting taken apart, or why it must stay."""
        try:
            self._sees_all()
            for i, statement in enumerate(self.body):
                self._sort(statement, self.body[i + 1 :])
            passed = self._passed()
        except _StaysError as refused:
            return NoFix(str(refused), KEEPING)
        changes = tuple(f"exception: `{self.owner}.{a}` {how}" for a, how in self.crossed.items())
        return Counting(
            self.sites,
            self.state,
            tuple(self._needed([e for e, _ in passed])),
            tuple(self.after),
            tuple(passed),
            changes,
        )

    def _sees_all(self) -> None:
        """Refuse where the numbers may be used out of sight."""
        for node in walk_scope(*self.function.body):
            if isinstance(node, SCOPES) and self._reads_of(node) & self.state:
                raise _StaysError(f"a nested function reads `{self.owner}.{min(self._reads_of(node) & self.state)}`")
            if (
                isinstance(node, ast.Name)
                and node.id in (self.owner, "super")
                and not isinstance(self.facts.names.parent(node), ast.Attribute)
            ) and (node.id == self.owner or any(self._uses(c.node) for c in self.info.bases)):
                raise _StaysError(f"`{node.id}` is handed on whole, and with it `{self.owner}.{min(self.state)}`")
        queue = [self.info.method(a) for a in self._reads_of(*self.function.body)]
        seen: set[ast.AST] = {self.function}
        while queue:
            method = queue.pop()
            if method is None or method in seen:
                continue
            seen.add(method)
            if self._uses(method) and self._only_reads(method):
                self.readers[method.name] = self._uses(method)
            elif self._uses(method):
                raise _StaysError(
                    f"`{method.name}`, which runs in the graph, uses `{self.owner}.{min(self._uses(method))}` as well"
                )
            queue += [self.info.method(n.attr) for n in walk(method) if isinstance(n, ast.Attribute)]

    def _opening(self, s: ast.stmt) -> bool:
        """True for a statement at the very start that itself reads a tensor on the host."""
        if not isinstance(s, (ast.If, ast.Assign)) or self.skipped or not self.facts.effects.of([s]).reads:
            return False
        ends = self.facts.kinds.run(self.function).ends.get(id(s), ({}, {}))
        later = reads(*self.body[self.body.index(s) + 1 :])
        return (
            all(
                (e or {}).get(n) is None or (e or {})[n].tag in (Tag.HOST, Tag.NONE)
                for e in ends
                for n in binds(s) & later
            )
            and self._stored_in(s) <= self.state
        )

    # -- sorting -------------------------------------------------------------------------------------------------------
    def _sort(self, s: ast.stmt, later: Sequence[ast.stmt]) -> None:
        """Decide where a statement of the body runs."""
        stored = self._stored_in(s) & self.state
        opening = bool(stored) and self._opening(s)
        host = (opening or self._host_statement(s)) and self._quiet(s, opening)
        if stored and not host:
            raise _StaysError(
                f"`{self.owner}.{min(stored)}` changes within a statement that also works on tensors (line {s.lineno})"
            )
        if stored:
            self._place(s, stored, later)
        elif not self.skipped and self._guard(s):
            self.movable.append(s)
            self.guards.append(s)
        elif host and self._can_lead(s):
            self.movable.append(s)
            self.available |= binds(s)
            self.hosts |= binds(s)
        else:
            self.skipped.append(s)
            self.available -= binds(s)
            self.hosts -= binds(s)

    def _place(self, s: ast.stmt, stored: set[str], later: Sequence[ast.stmt]) -> None:
        lead = self._can_lead(s) and not self.after and not any(isinstance(n, EXITS) for n in walk_scope(*self.skipped))
        trail = self._can_trail(s, stored, later)
        smooth = lead and all(self._total(x) for x in self.skipped)
        if smooth or (lead and not trail):
            if not smooth:
                self.crossed.update(dict.fromkeys(sorted(stored), "changes even where the call raises"))
            self.movable.append(s)
            self.before.append(s)
            self.available |= binds(s)
            self.hosts |= binds(s)
        elif trail:
            if not all(self._total(x) for x in later if x not in self.after and not self._stored_in(x) & self.state):
                self.crossed.update(dict.fromkeys(sorted(stored), "stays as it was where the call raises"))
            self.after.append(s)
        else:
            raise _StaysError(f"`{self.owner}.{min(stored)}` {self._why_stays(s)} (line {s.lineno})")

    def _why_stays(self, s: ast.stmt) -> str:
        if any(isinstance(n, ast.Return) and n is not self.body[-1] for n in walk_scope(*self.body)):
            return "changes only on calls that have not returned before"
        local = (reads(s) - binds(s)) & binds(*self.function.body) - self.available
        if local:
            return f"changes by `{min(local)}`, which the graph computes"
        return "changes between computations that need its old and its new value"

    def _can_lead(self, s: ast.stmt) -> bool:
        """True where the statement computes the same at the start of the function."""
        local = binds(*self.function.body) | self.parameters
        if (reads(s) - (binds(s) - self.available)) & local - self.available - {self.owner}:
            return False
        if any(binds(s) & (reads(x) | binds(x)) for x in self.skipped):
            return False
        effect = self.facts.effects.of(self.skipped)
        changed = {n.rpartition(".")[2] for n in effect.stores | effect.mutates if n.startswith(f"{self.owner}.")}
        return not (
            self._reads_of(s) & changed
            or effect.mutates & reads(s) - {self.owner}
            or self._reads_of(s) & self._stored_in(*self.after)
        )

    def _can_trail(self, s: ast.stmt, stored: set[str], later: Sequence[ast.stmt]) -> bool:
        """True where the statement computes the same after everything else, and nothing waits for it."""
        rest = [x for x in later if not self._stored_in(x) & self.state]
        last = self.body[-1]
        if any(isinstance(n, ast.Return) and n is not last for n in walk_scope(*self.body)):
            return False
        if (
            any(isinstance(n, (ast.Raise, ast.Assert)) for n in walk_scope(*later))
            or self._reads_of(*rest) & stored
            or binds(s) & reads(*later)
        ):
            return False
        if self._reads_of(s) & self._stored_in(*rest):
            return False
        names = {n for n in reads(s) if n in self.parameters or n in binds(*self.function.body)} - {self.owner}
        rebound = binds(*(x for x in self.body if x not in self.movable and x is not s))
        return names <= self.available and not names & rebound

    # -- what the graph reads ------------------------------------------------------------------------------------------
    def _passed(self) -> list[tuple[ast.expr, bool]]:
        found: list[tuple[ast.expr, bool]] = []
        for s in self.skipped:
            found += self._visit(s, conditional=False)
        return found

    def _visit(self, node: ast.AST, conditional: bool) -> Iterator[tuple[ast.expr, bool]]:
        """The largest Python values in a statement of the graph that depend on the numbers."""
        if not self._reads_of(node) & self.state:
            return
        if isinstance(node, ast.expr) and self._passable(node, conditional):
            parent = self.facts.names.parent(node)
            tested = isinstance(parent, (ast.If, ast.IfExp, ast.While)) and parent.test is node
            yield node, tested or (isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not))
            return
        branching = isinstance(node, BRANCHING)
        if is_attribute_of(node, self.owner):
            used = min(self._reads_of(node) & self.state)
            raise _StaysError(f"`{ast.unparse(node)}`, which runs in the graph, uses `{self.owner}.{used}`")
        for child in children(node):
            first = child is getattr(node, "test", None) or (isinstance(node, ast.BoolOp) and child is node.values[0])
            yield from self._visit(child, conditional or (branching and not first))

    def _passable(self, e: ast.expr, conditional: bool) -> bool:
        if isinstance(e, ast.Attribute) and is_attribute_of(e, self.owner):
            if e.attr in self.state:
                return True
            method = self.info.method(e.attr)
            if method is None or not method.decorator_list:
                return False
        if self.facts.kinds.of(e).detail == "str":
            return False  # each text would be a graph of its own
        local = binds(*self.function.body) | self.parameters
        names = {n.id for n in walk(e) if isinstance(n, ast.Name)} & local - {self.owner}
        if not names <= self.available or not self._host(e) or isinstance(e, (ast.Tuple, ast.List)):
            return False
        if self._reads_of(e) & (self._stored_in(*self.skipped)) and e not in self._at_start():
            return False
        if (
            isinstance(e, ast.BinOp)
            and isinstance(e.op, PASSED_ON)
            and all(self._integral(x) for x in (e.left, e.right))
        ):
            return False
        effect = self.facts.effects.of([e])
        return effect.pure and not effect.reads and (not conditional or self._calm(e))

    def _at_start(self) -> set[ast.AST]:
        """The expressions that are evaluated before any statement of the graph has stored an attribute."""
        early: set[ast.AST] = set()
        for s in self.skipped:
            if self._stored_in(s):
                early |= set(walk(s.test)) if isinstance(s, ast.If) else set()
                break
            early |= set(walk(s))
        return early

    def _integral(self, e: ast.expr) -> bool:
        if isinstance(e, ast.BinOp):
            return isinstance(e.op, PASSED_ON) and self._integral(e.left) and self._integral(e.right)
        if isinstance(e, ast.Attribute) and is_attribute_of(e, self.owner) and e.attr in self.state:
            return set(self._starts(e.attr)) <= {"int", "none"}
        return self.facts.kinds.of(e).detail == "int"

    def _calm(self, e: ast.expr) -> bool:
        """True where evaluating the expression raises for no value of the numbers."""
        for n in walk(e):
            if isinstance(n, ast.Call) and self.facts.names.qualified(n.func) not in CALM:
                return False
            if isinstance(n, ast.BinOp) and not isinstance(n.op, PASSED_ON):
                steady = (
                    isinstance(n.op, (ast.Mod, ast.FloorDiv, ast.Div))
                    and isinstance(n.right, ast.Constant)
                    and bool(n.right.value)
                )
                if not steady:
                    return False
            if isinstance(n, (ast.Subscript, ast.NamedExpr, ast.Await)):
                return False
        return all("none" not in self._starts(a) for a in self._reads_of(e) & self.state)

    def _needed(self, passed: Sequence[ast.expr]) -> list[ast.stmt]:
        """The statements that run before the graph: those that count, read a number, or make what these need."""
        wanted = reads(*passed, *self.before, *self.after)
        chosen = list(self.before)
        for s in reversed(self.movable):
            guards = s in self.guards and any(b.lineno > s.lineno for b in self.before)
            if s in chosen or guards or binds(s) & wanted or self._reads_of(s) & self.state:
                chosen.append(s)
                wanted |= reads(s)
        return [s for s in self.movable if s in chosen]
