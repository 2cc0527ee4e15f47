"""Host values that a callee reads, though a function above knows them: read there, and handed down by keyword."""

from __future__ import annotations

import ast
import builtins
import keyword
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ..model import Level, NoFix
from ..trees import walk
from .carried import SIMPLE, Carried, Guards, Wanted, decided, repeats, replaced
from .classes import FunctionNode, is_attribute_of
from .flags import flag_name
from .flow import binds, reads
from .gain import names_grad_mode
from .handed import Given, arguments, not_given, out_of_sight
from .hoists import Hoist, declined
from .moves import Moves
from .shared import only_looked_at, several
from .values import Tag

if TYPE_CHECKING:
    from . import Facts

_THERE = (Tag.HOST, Tag.TENSOR, Tag.SEQUENCE)
_QUIET = NoFix("")
_DEPTH = 5  # functions between the one that computes a value and the one that reads it


@dataclass(frozen=True, slots=True)
class Made:
    """A value that is computed above a statement of a function, and its name there."""

    home: FunctionNode
    before: ast.stmt
    name: str
    value: ast.expr
    guards: Guards


@dataclass(frozen=True, slots=True)
class Thread:
    """How one value comes to where it is read.

    Attributes:
        node: the expression that reads it.
        function: where that stands.
        name: of the value there.
        size: it is handed to the reading call, as the size of its result.
        decides: it is a condition.
        repeated: it is read more than once in a call of the entry.
        takes: the functions that get it, each with the parameter's name.
        gives: the calls that hand it on, each with the keyword and the name that it has there.
        made: where it is computed.
        chain: the names of the functions on the way, the reader last.
    """

    node: ast.expr
    function: FunctionNode
    name: str
    size: bool
    decides: bool
    repeated: bool
    takes: tuple[tuple[FunctionNode, str], ...]
    gives: tuple[tuple[ast.Call, str, str], ...]
    made: tuple[Made, ...]
    chain: tuple[str, ...]


@dataclass
class _Way:
    """A thread in the making."""

    takes: list[tuple[FunctionNode, str]] = field(default_factory=list)
    gives: list[tuple[ast.Call, str, str]] = field(default_factory=list)
    made: list[Made] = field(default_factory=list)
    chain: list[str] = field(default_factory=list)
    repeated: bool = False

    def copy(self) -> _Way:
        """Another that may go wrong."""
        return _Way(list(self.takes), list(self.gives), list(self.made), list(self.chain), self.repeated)

    def adopt(self, other: _Way) -> None:
        """Go on as another did."""
        self.takes, self.gives, self.made, self.chain = other.takes, other.gives, other.made, other.chain
        self.repeated = other.repeated


class Threads:
    """The threads of one file."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self._given: dict[tuple[FunctionNode, str], str] = {}  # names of values by function and text
        self._known: dict[FunctionNode, list[tuple[ast.expr, Thread | NoFix]]] | None = None
        self._sought = False  # while it is being found out

    def within(self, function: FunctionNode) -> Sequence[tuple[ast.expr, Thread | NoFix]]:
        """What the function reads and could be handed, with the way or the reason against it."""
        return self._found.get(function, ())

    @property
    def all(self) -> Iterator[Thread]:
        """All of the file."""
        return (t for found in self._found.values() for _, t in found if isinstance(t, Thread))

    @property
    def _found(self) -> dict[FunctionNode, list[tuple[ast.expr, Thread | NoFix]]]:
        if self._sought:
            self.facts.unsettled += 1
            return {}
        if self._known is None:
            self._sought = True
            self._known = self._find()
            self._sought = False
        return self._known

    def _find(self) -> dict[FunctionNode, list[tuple[ast.expr, Thread | NoFix]]]:
        found: dict[FunctionNode, list[tuple[ast.expr, Thread | NoFix]]] = {}
        for function in self.facts.names.functions():
            region = self.facts.regions.of(function)
            below = self._takes_more(function) and bool(self._callers(function))
            if not region or not (region.entry or below) or not self._reads(function):
                continue
            for node, wanted in Carried(self.facts, function).wanted():
                if not self._left(node) and (below or wanted.size) and not (region.entry and not wanted.size):
                    outcome = self._thread(node, wanted)
                    if outcome is not None:
                        found.setdefault(function, []).append((node, outcome))
        self._apart(found)
        flags = [t.name for way in found.values() for _, t in way if isinstance(t, Thread) and t.decides]
        if len(set(flags)) > self.facts.settings.max_flags:
            refused = NoFix(f"{len(set(flags))} conditions would make {2 ** len(set(flags))} variants of the graph")
            for way in found.values():
                way[:] = [(n, refused if isinstance(t, Thread) and t.decides else t) for n, t in way]
        return found

    def _apart(self, found: dict[FunctionNode, list[tuple[ast.expr, Thread | NoFix]]]) -> None:
        """Refuse lists and tensors that several readers would share, where one may change or keep what it reads."""
        threads = [t for way in found.values() for _, t in way if isinstance(t, Thread)]
        for way in found.values():
            for i, (node, thread) in enumerate(way):
                apart = not isinstance(thread, Thread) or thread.size or not several(thread, threads)
                if not apart and not only_looked_at(node, self.facts):
                    chain = thread.chain if isinstance(thread, Thread) else ()
                    way[i] = (node, NoFix(f"several readers would share it, on the way {_arrows(chain)}"))

    def _reads(self, function: FunctionNode) -> bool:
        """True where there is anything to look for."""
        moves = Moves(self.facts, function, None, False)
        return any(True for s in function.body for _ in moves.sites_in(s))

    def _left(self, node: ast.expr) -> bool:
        around = self.facts.names.parent(node)
        while isinstance(around, ast.UnaryOp):
            around = self.facts.names.parent(around)
        if isinstance(around, (ast.If, ast.IfExp)) and self.facts.breaks.cured_otherwise(around, "TR102"):
            return True
        child: ast.AST = node
        for above in self.facts.names.ancestors(node):
            if isinstance(above, (ast.If, ast.IfExp)) and not_given(above, child, self.facts.names) is not None:
                return True  # what is there for callers that hand down nothing
            child = above
        masked = self.facts.masks.covers(self.facts.names.statement_of(node))
        return masked or bool(self.facts.regions.left_alone(node)) or declined(node, self.facts)

    def _takes_more(self, function: FunctionNode) -> bool:
        """True for a function that may get one more parameter: nothing runs in its place or around it."""
        if isinstance(function, ast.AsyncFunctionDef) or self.facts.names.enclosing_function(function) is not None:
            return False
        return not function.decorator_list and not function.name.startswith("__")

    def _callers(self, function: FunctionNode) -> list[ast.Call]:
        """The calls in sight that may run compiled, or stand in the eager part of an entry."""
        regions = self.facts.regions
        homes = [(c, self.facts.function_of(c)) for c in self.facts.calls.reaching(function)]
        return [
            c for c, h in homes if h is not None and h is not function and (regions.of(h) or regions.skipped_alone(h))
        ]

    # -- from where it is read to where it is known --------------------------------------------------------------------
    def _thread(self, node: ast.expr, wanted: Wanted) -> Thread | NoFix | None:
        way, wish, function = _Way(), self._wish(node, wanted.size), wanted.function
        if self.facts.regions.of(function).entry:
            if self.facts.hoists.refusal(function) is not None:
                return None
            name = self._compute(Carried(self.facts, function).up_to(node), wanted, wish, way)
        else:
            lifted = self._lift(wanted, wish, way, 0)
            if isinstance(lifted, NoFix):
                return NoFix(f"{lifted.reason}, on the way {_arrows(way.chain)}") if lifted.reason else None
            name = lifted
        if not way.made:
            return None  # no call comes to where it is read
        parts = (tuple(way.takes), tuple(way.gives), tuple(way.made), tuple(way.chain))
        return Thread(node, function, name, wanted.size, wanted.decides, way.repeated, *parts)

    def _wish(self, node: ast.expr, size: bool) -> str:
        """The name of the local that the value is bound to, or one that tells."""
        counts = repeats(node, self.facts) if size else None
        if counts is not None:
            return f"{flag_name(counts[0], self.facts).removesuffix('_value')}_total"
        statement = self.facts.names.parent(node)
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        function = self.facts.function_of(node)
        if isinstance(target, ast.Name) and function and target.id not in self.facts.flow(function).parameters:
            return target.id
        name = flag_name(node, self.facts)
        lists = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "tolist"
        ending = "_list" if lists else "_selected" if isinstance(node, ast.Subscript) else ""
        return f"{name.removesuffix('_value')}{ending}" if ending else name

    def _lift(self, wanted: Wanted, wish: str, way: _Way, depth: int) -> str | NoFix:
        """Let all callers hand a function the value, whose name there is given.

        Else the reason why one can not, empty where none is to tell.
        """
        function = wanted.function
        if not way.chain:
            way.chain.append(self._called(function))
        name = self._named(function, wish, wanted)
        if (function, name) in way.takes:
            return name
        refused, calls = out_of_sight(function, self.facts), self._callers(function)
        if refused is not None or depth == _DEPTH or not calls:
            return refused or _QUIET
        way.takes.append((function, name))
        for call in calls:
            if (refused := self._carry(call, wanted, name, way, depth)) is not None:
                return refused
        return name

    def _carry(self, call: ast.Call, wanted: Wanted, name: str, way: _Way, depth: int) -> NoFix | None:
        """Let one caller hand the value down: it computes it, or is handed it itself."""
        home = self.facts.function_of(call)
        target = self.facts.calls.target(call) or self.facts.calls.element(call)
        assert home is not None
        assert target is not None
        way.chain.insert(0, self._called(home))
        text = f"`{ast.unparse(call.func)}(…)` on line {call.lineno}"
        if not target.plain:
            return NoFix(f"{text} may run another function")
        needed = reads(*wanted.terms) & set(self.facts.flow(wanted.function).parameters)
        given = arguments(call, wanted.function, needed, target.bound)
        if isinstance(given, NoFix):
            return given
        absent = {n for n, v in given.values.items() if isinstance(v, ast.Constant) and v.value is None}
        known = [(self._outcome(t, given), holds) for t, holds in wanted.guards]
        never = any(outcome is (not holds) for outcome, holds in known)
        if never or absent & reads(wanted.value):
            return None  # this call does not come to where it is read
        above = Carried(self.facts, home)
        top = above.up_to(call)
        hoist = self.facts.hoists.of(home)
        outer, refused = self.facts.regions.skipped_alone(home), _QUIET
        if (isinstance(hoist, Hoist) and top in hoist.prologue) or (outer and above.movable(top)):
            return refused  # the whole call stands outside of the graph
        if outer or (self.facts.regions.of(home).entry and self.facts.hoists.refusal(home) is None):
            inlined = None if outer else self._lifted(call, above, wanted, given, False)
            lifted = inlined or self._lifted(call, above, wanted, given, True)
            grad = any(names_grad_mode(d, self.facts) for d in home.decorator_list)
            if lifted is not None and (wanted.host or not grad):
                way.gives.append((call, name, self._compute(top, lifted, name, way, inlined is None)))
                return None
        elif self._takes_more(home) and self._callers(home):
            lifted = self._lifted(call, above, wanted, given, False)
            trial = way.copy()
            outcome = self._lift(lifted, name, trial, depth + 1) if lifted is not None else _QUIET
            if isinstance(outcome, str):
                trial.gives.append((call, name, outcome))
                way.adopt(trial)
                return None
            refused = outcome
        return self._before_loop(call, wanted, given, name, way) and refused

    def _outcome(self, test: ast.expr, given: Given) -> bool | None:
        """What is known of a condition of the callee for this call."""
        match test:
            case ast.Compare(
                left=ast.Name(id=name), ops=[ast.Is() | ast.IsNot() as op], comparators=[ast.Constant(value=None)]
            ) if name in given.values:
                value = self.facts.kinds.of(given.values[name])
                if value.tag in _THERE and value.level is Level.PROVED and not value.optional:
                    return isinstance(op, ast.IsNot)
        return decided(replaced(test, given.values))

    def _lifted(self, call: ast.Call, above: Carried, wanted: Wanted, given: Given, local: bool) -> Wanted | None:
        """The value in the caller's terms, at its start or (`local`) above the statement with the call."""
        top = above.top
        path = above.path(call, top)
        loose = set(path.bound) | (binds(top) if not isinstance(top, SIMPLE) else set())
        values = given.values.values()
        if any(reads(a) & loose or not above.input_only([a], reads(a)) for a in values):
            return None
        if given.receiver is not None and not self._same_object(given.receiver, wanted, above):
            return None
        sure = wanted.total and all(map(above.sure, values))
        kept = above.conditions(path, sure)
        if kept is None:
            return None
        if not above.free(path, wanted.host) or (not wanted.host and any(map(self._held, values))):
            return None
        words = {n: a if local else above.inlined(a) for n, a in given.values.items()}
        names = {n: w for n, w in words.items() if w is not None}
        if len(names) < len(words):
            return None
        if given.receiver is not None:
            names[self._owner(wanted.function)] = given.receiver
        told = [(replaced(t, names), holds) for t, holds in wanted.guards]
        guards = tuple((t, holds) for t, holds in told if decided(t) is None)
        own = reads(*wanted.terms) - set(names)
        if own & self.facts.names.bound_in(above.function):
            return None  # the caller means something else by the name
        value = replaced(wanted.value, names)
        repeated = wanted.repeated or path.repeated
        return replace(
            wanted, function=above.function, value=value, guards=(*kept, *guards), total=sure, repeated=repeated
        )

    def _held(self, argument: ast.expr) -> bool:
        """True for what an instance holds: selecting from weights belongs into the graph."""
        return any(isinstance(n, ast.Attribute) and self.facts.classes.owner(n) is not None for n in walk(argument))

    def _same_object(self, receiver: ast.expr, wanted: Wanted, above: Carried) -> bool:
        """True where the attributes that the value reads are at the caller's start what they are at the call."""
        info = self.facts.classes.of_function(wanted.function)
        root, crossed = receiver, False
        while isinstance(root, ast.Attribute):
            owner = self.facts.classes.owner(root)
            if owner is None or (is_attribute_of(root, owner[1]) and owner[0].is_rebound(root.attr)):
                return False
            root, crossed = root.value, True
        if info is None or not isinstance(root, ast.Name) or root.id != above.owner:
            return False
        before = self.facts.effects.of([*above.skipped, *above.around])
        me = self._owner(wanted.function)
        for node in (n for e in wanted.terms for n in walk(e)):
            if is_attribute_of(node, me):
                changed = f"{above.owner}.{node.attr}" in before.stores or f"self.{node.attr}" in before.mutates
                if changed or (info.is_rebound(node.attr) and (crossed or before.unknown)):
                    return False
        return True

    def _owner(self, function: FunctionNode) -> str:
        return self.facts.flow(function).parameters[0]

    def _before_loop(self, call: ast.Call, wanted: Wanted, given: Given, name: str, way: _Way) -> NoFix | None:
        """Let the caller compute the value once, before the loop around the call or instead of each time below it."""
        home = self.facts.function_of(call)
        assert home is not None
        around = [n for n in self.facts.names.ancestors(call) if isinstance(n, ast.For)]
        top: ast.stmt = around[-1] if around else self.facts.names.statement_of(call)
        above = Carried(self.facts, home)
        above.stand(call, top, set(self.facts.flow(home).bound_before(top)))
        lifted = self._lifted(call, above, wanted, given, True)
        if lifted is None or not lifted.repeated:
            return _QUIET
        way.gives.append((call, name, self._compute(top, lifted, name, way, True)))
        return None

    # -- names ---------------------------------------------------------------------------------------------------------
    def _compute(self, top: ast.stmt, wanted: Wanted, name: str, way: _Way, local: bool = False) -> str:
        """Let the value be computed above a statement; gives its name there.

        What depends on the parameters alone is the same above any statement, and is computed above the first; what is
        `local` belongs to this one.
        """
        way.repeated |= wanted.repeated
        own = self._named(wanted.function, name, wanted, top if local else None)
        same = [m for m in way.made if m.name == own and m.home is wanted.function]
        if not same:
            way.made.append(Made(wanted.function, top, own, wanted.value, wanted.guards))
        elif top.lineno < same[0].before.lineno:
            way.made[way.made.index(same[0])] = replace(same[0], before=top)
        return own

    def _named(self, function: FunctionNode, wish: str, wanted: Wanted, top: ast.stmt | None = None) -> str:
        """The name of a value in a function; the same value has the same name."""
        tests = [holds for _, holds in wanted.guards]
        key = (function, " ".join(map(ast.dump, wanted.terms)) + f" {tests} {id(top) if top is not None else ''}")
        if key not in self._given:
            names = self.facts.names
            taken = {n for (f, _), n in self._given.items() if f is function}
            sites = names.opened(function).sites.get(wish, ())
            free = not sites or all(isinstance(names.statement_of(s.node), ast.Assign) for s in sites)
            own = not any(s.kind == "param" for s in sites) and free and wish not in names.walk.module.sites
            own = own and wish not in taken and not keyword.iskeyword(wish) and wish not in vars(builtins)
            own = own and not (function.args.kwarg and wish in names.all_identifiers() and not sites)
            self._given[key] = wish if own else names.fresh(wish, taken | set(self._given.values()))
        return self._given[key]

    def _called(self, function: FunctionNode) -> str:
        return self.facts.names.path(function).lstrip(".")


def _arrows(chain: Sequence[str]) -> str:
    return " → ".join(f"`{c}`" for c in dict.fromkeys(chain))
