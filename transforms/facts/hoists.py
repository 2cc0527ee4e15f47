"""What a compiled entry computes from its inputs alone and reads on the host: what can be decided before the graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..model import NoFix
from ..trees import walk
from . import bookkeeping
from .classes import FunctionNode
from .counters import Counting
from .draws import cuts, draws
from .flagging import Flagging
from .flags import Flag, Hoist, flag_name, joined, named_apart, told
from .flow import binds, reads, walk_scope
from .gain import names_grad_mode, work
from .idle import asks as asks_mask
from .regions import GRAD_MODES
from .values import UNKNOWN, Tag, Value

if TYPE_CHECKING:
    from . import Facts

MAX_TENSOR_STATEMENTS = 2  # how much computation on tensors may leave the graph with a host value


class Hoists:
    """The hoists of one file, per function."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._plans: dict[FunctionNode, Hoist | NoFix | None] = {}

    def of(self, function: FunctionNode) -> Hoist | NoFix | None:
        """What can be hoisted from the function; None where it reads nothing of its inputs on the host."""
        if function not in self._plans:
            counting = self._facts.counters.of(function)
            exact = counting if isinstance(counting, Counting) and not counting.changes else None
            explicit = self._facts.regions.of(function).explicit
            plan = _searched(self._facts, function, exact, explicit)
            self._plans[function] = (
                _searched(self._facts, function, None, explicit) if exact and isinstance(plan, NoFix) else plan
            )
        return self._plans[function]

    def counting(self, function: FunctionNode, counting: Counting) -> Hoist | NoFix | None:
        """The hoist that takes the counting of the function out as well."""
        explicit = self._facts.regions.of(function).explicit
        return _Search(self._facts, function, counting, explicit).plan() if counting.changes else self.of(function)

    def numbers(self, function: FunctionNode) -> Hoist | NoFix | None:
        """The hoist that takes out what the function computes from numbers of its caller, compiled by name or not."""
        if self._facts.regions.of(function).explicit:
            return self.of(function)
        counting = self._facts.counters.of(function)
        exact = counting if isinstance(counting, Counting) and not counting.changes else None
        return _Search(self._facts, function, exact, True).plan()

    def refusal(self, function: FunctionNode) -> NoFix | None:
        """Why the function can not be split, whatever it reads."""
        return _Search(self._facts, function, None, False).refusal([])

    def covers(self, test: ast.expr) -> bool:
        """True where the condition will be decided outside."""
        function = self._facts.function_of(test)
        plan = self.of(function) if function is not None else None
        return isinstance(plan, Hoist) and any(test is s for s in plan.sites)


def _searched(facts: Facts, function: FunctionNode, counting: Counting | None, numbers: bool) -> Hoist | NoFix | None:
    """The hoist; where a condition is only known after what the function notes first, those statements move too."""
    search = _Search(facts, function, counting, numbers)
    plan = search.plan()
    for test in search.dropped:
        wider = _Search(facts, function, counting, numbers)
        wider.first = bookkeeping.before(test, wider.body, facts)
        found = wider.plan() if wider.first else None
        if isinstance(found, Hoist) and len(wider.dropped) < len(search.dropped):
            return found
    return plan


class _Search(Flagging):
    """The search for a hoist in one function."""

    def plan(self) -> Hoist | NoFix | None:
        region = self.facts.regions.of(self.function)
        if not region or not region.entry:
            return None
        flags: list[Flag] = []
        sites: list[ast.expr] = []
        needed: list[ast.stmt] = []
        counted, trailing = (self.counting.before, self.counting.after) if self.counting else ((), ())
        leading = (*self.first, *counted)
        for statement in self.body:
            found = [site for site in self.sites_in(statement) if not declined(site, self.facts)]
            if statement in trailing:
                continue
            if statement in leading:
                self.moved.append(statement)
                self.available |= binds(statement)
                needed.append(statement)
                sites += found
                continue
            if self.movable(statement) and (not found or self._worth_moving(statement, needed)):
                self.moved.append(statement)
                self.available |= binds(statement)
                if found:
                    needed.append(statement)
                    sites += found
                continue
            for flag in self.flags(statement):
                if declined(flag.node, self.facts) or not self._cheap_slice(flag, needed):
                    continue
                flags.append(flag)
                inside = set(map(id, flag.nodes))
                sites += [c for c in draws(flag.node, self.facts) if flag.drawn and cuts(c, self.facts)]
                sites += [
                    s for s in found if id(s) in inside or (any(n is flag.node for n in walk(s)) and s not in sites)
                ]
            self.skipped.append(statement)
            self.available -= binds(statement)
        if not flags and not needed and not trailing:
            return self._early()
        if (refused := self.refusal(flags)) is not None:
            return refused
        flags += self._numbers(flags)
        prologue = self._slice(needed, flags)
        rest = [s for s in self.body if s not in prologue and s not in trailing]
        gone = {id(n) for f in flags for n in f.nodes}
        later = {n.id for s in rest for n in walk(s) if isinstance(n, ast.Name) and id(n) not in gone}
        passed = [n for s in prologue for n in _ordered(binds(s), s) if n in later and n not in self.parameters]
        if (refused := self._objection(prologue, passed, bool(trailing or work(rest, self.facts, gone)))) is not None:
            return refused
        unique = named_apart(self._in_time(flags, prologue), self.function, self.facts)
        baked = tuple(s for s in sites if isinstance(s, ast.Call) and self.bakes(s))
        return Hoist(
            self.function,
            tuple(prologue),
            unique,
            tuple(dict.fromkeys(passed)),
            tuple(s for s in sites if s not in baked),
            trailing,
            self.counting.changes if self.counting else (),
            baked,
        )

    def _early(self) -> NoFix | None:
        if self.barred is None:
            return None
        read, test = (ast.unparse(e) for e in self.barred)
        reason = f"`{test}` is not known before the graph, so that `{read}` would be read in every call"
        return NoFix(reason, "decide it where the condition is known, and pass a bool in")

    def _objection(self, prologue: Sequence[ast.stmt], passed: Sequence[str], works: bool) -> NoFix | None:
        if not works:
            return NoFix("nothing is left for the graph to hold")
        decorated = any(names_grad_mode(d, self.facts) for d in self.function.decorator_list)
        if decorated and not self._all_host(prologue, passed):
            return NoFix("tensors made outside would not be made under the gradient mode of its decorator")
        return None

    def _all_host(self, prologue: Sequence[ast.stmt], passed: Sequence[str]) -> bool:
        """True where no tensor goes from the outer part into the core but the inputs themselves."""
        for s in prologue:
            for n in walk_scope(s) if s not in self.first else ():
                if not (isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)):
                    continue
                goes = n.id in passed or n.id in self.parameters
                if goes and self._bound_value(s, n).tag not in (Tag.HOST, Tag.NONE):
                    return False
        return True

    def _numbers(self, flags: list[Flag]) -> list[Flag]:
        """What the graph needs of the numbers, apart from what the other flags hold."""
        inside = {id(n) for f in flags for n in walk(f.node)}
        wanted = self.counting.reads if self.counting else ()
        return [Flag(e, flag_name(e, self.facts), (), truth) for e, truth in wanted if id(e) not in inside]

    def _in_time(self, flags: list[Flag], prologue: list[ast.stmt]) -> list[Flag]:
        """The flags that stand in what stays, each computed before the prologue changes a number that it reads."""
        moved = {id(n) for s in prologue for n in walk(s)}
        state = self.counting.state if self.counting else frozenset()
        out = []
        for flag in flags:
            if id(flag.node) in moved:
                continue
            numbers = {n.attr for n in walk(flag.node) if isinstance(n, ast.Attribute)} & state
            later = (s for s in prologue if s.lineno > flag.node.lineno and numbers & _stores(s))
            out.append(replace(flag, before=next(later, None)))
        return out

    def _worth_moving(self, statement: ast.stmt, needed: list[ast.stmt]) -> bool:
        """True where the statement makes host values, or is the cut itself; computing on tensors stays in the graph."""
        if self.facts.masks.covers(statement):
            return False
        if not self._cheap(self._slice([*needed, statement], []), [*needed, statement], set()):
            return False
        if isinstance(statement, ast.If):
            ends = self.facts.kinds.run(self.function).ends.get(id(statement), (None, None))
            arms = [(e, b) for e, b in zip(ends, (statement.body, statement.orelse), strict=True) if b]
            return all(e is not None and e[n].tag in (Tag.HOST, Tag.NONE) for e, b in arms for n in binds(*b))
        value = statement.value if isinstance(statement, (ast.Assign, ast.AnnAssign)) else None
        if value is None:
            return False
        if isinstance(value, ast.IfExp) and isinstance(value.orelse, ast.Constant):
            value = value.body
        made = self.facts.kinds.of(value)
        if made.tag in (Tag.HOST, Tag.NONE) or made.detail == "list":
            return True
        target = self.facts.calls.target(value) if isinstance(value, ast.Call) else None
        if target is not None:
            inner = self.facts.effects.of_function(target.function)
            return bool(inner.reads or inner.breaks)
        return any((isinstance(n, ast.Call) and self.reads(n)) or self.masked(n) for n in _spine(value))

    def _cheap_slice(self, flag: Flag, needed: list[ast.stmt]) -> bool:
        """True where computing the flag outside takes little computation on tensors with it."""
        return self._cheap(self._slice(needed, [flag]), needed, {id(n) for n in walk(flag.node)})

    def _cheap(self, moved: list[ast.stmt], needed: list[ast.stmt], inside: set[int]) -> bool:
        """True where what stays reads no tensor that a moved statement makes on the way, and there are few of them."""
        count = 0
        stays = [s for s in self.body if s not in moved]
        for statement in moved:
            bound = binds(statement)
            names = [
                n
                for n in walk_scope(statement)
                if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and n.id in bound
            ]
            if statement in needed or all(self._bound_value(statement, n).tag in (Tag.HOST, Tag.NONE) for n in names):
                continue
            count += 1
            if any(
                isinstance(n, ast.Name) and n.id in bound and isinstance(n.ctx, ast.Load) and id(n) not in inside
                for s in stays
                for n in walk(s)
            ):
                return False
        return count <= MAX_TENSOR_STATEMENTS

    def _bound_value(self, statement: ast.stmt, name: ast.Name) -> Value:
        if isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value is not None:
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            if name in targets:
                return self.facts.kinds.of(statement.value)
        return UNKNOWN

    # -- the whole -----------------------------------------------------------------------------------------------------
    def refusal(self, flags: list[Flag]) -> NoFix | None:
        """Why the function can not be split with these flags."""
        function, names = self.function, self.facts.names
        if isinstance(function, ast.AsyncFunctionDef) or any(
            isinstance(n, (ast.Yield, ast.YieldFrom, ast.Global, ast.Nonlocal)) for n in walk_scope(*function.body)
        ):
            return NoFix("it is a coroutine, a generator, or rebinds outer names")
        for decorator in function.decorator_list:
            head = decorator.func if isinstance(decorator, ast.Call) else decorator
            known = names.qualified(head)
            if (
                known not in GRAD_MODES
                and not (known or "").startswith("torch.compile")
                and known != "functools.partial"
            ):
                return NoFix(f"it is decorated with `{ast.unparse(head)}`")
        if any(isinstance(n, ast.Name) and n.id in ("locals", "__class__") for n in walk(function)):
            return NoFix("it looks at its own frame")
        booleans = {told(f) for f in joined(flags) if f.boolean}
        count = len(booleans) + sum(f.drawn and isinstance(f.node, (ast.Compare, ast.BoolOp)) for f in flags)
        if count > self.facts.settings.max_flags:
            return NoFix(f"{count} conditions would make {2**count} variants of the graph; Dynamo keeps 8")
        return None

    def _slice(self, needed: list[ast.stmt], flags: list[Flag]) -> list[ast.stmt]:
        """The movable statements that the needed ones and the flags read, in order."""
        wanted = set().union(
            *(reads(s) for s in needed),
            *(reads(f.node) for f in flags),
            *(reads(t) for f in flags for t, _ in f.guards),
        )
        chosen = list(needed)
        targets: set[str] = set()
        for statement in reversed(self.moved):
            # What binds or reads a name that a chosen statement below binds has to stay above it.
            before = (binds(statement) | reads(statement)) & targets
            if statement in chosen or binds(statement) & wanted or before:
                chosen.append(statement)
                wanted |= reads(statement)
                targets |= binds(statement)
        return [s for s in self.moved if s in chosen]


def declined(node: ast.expr, facts: Facts) -> bool:
    """True within a site that is not to be hoisted."""
    if asks_mask(node, facts):
        return True  # nobody need ask it in compiled code (TR108)
    span, settings = facts.source.span(node), facts.settings
    if settings.only is not None and "TR102" not in settings.only:
        return True
    return any(c == "TR102" and a <= span.start and span.end <= b for c, a, b in settings.declined)


def _stores(statement: ast.stmt) -> set[str]:
    return {n.attr for n in walk_scope(statement) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)}


def _spine(value: ast.expr) -> Iterator[ast.expr]:
    """The expression, and what its outermost methods and indices are applied to, down to a name."""
    node: ast.expr | None = value
    while node is not None:
        yield node
        if isinstance(node, ast.Call):
            node = node.func.value if isinstance(node.func, ast.Attribute) else None
        else:
            node = node.value if isinstance(node, (ast.Subscript, ast.Attribute)) else None


def _ordered(names: set[str], node: ast.AST) -> list[str]:
    return list(dict.fromkeys(n.id for n in walk(node) if isinstance(n, ast.Name) and n.id in names))


__all__ = ["GRAD_MODES", "Flag", "Hoist", "Hoists", "flag_name"]
