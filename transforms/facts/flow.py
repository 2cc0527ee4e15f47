"""What is bound here, read later, and bound for certain before: liveness and definite assignment within a function."""

from __future__ import annotations

import ast
import functools
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..trees import by_type, children, kept, own, walk
from .classes import FunctionNode

SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
TryStar = getattr(ast, "TryStar", ast.Try)  # `except*`, since Python 3.11
LEAVING = (ast.Return, ast.Raise, ast.Assert)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_BINDING = frozenset({ast.Name, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom})
_BINDING |= {ast.ExceptHandler, ast.MatchAs, ast.MatchStar, ast.MatchMapping, *COMPREHENSIONS}
_PARTLY_RUN = frozenset({ast.BoolOp, ast.IfExp, ast.Compare, ast.Assert, *COMPREHENSIONS})
# The children that are evaluated whenever a node is, where these are not all.
_REACHED: Mapping[type[ast.AST], Callable[[Any], Sequence[ast.AST]]] = {
    **dict.fromkeys((ast.If, ast.IfExp, ast.Assert), lambda node: [node.test]),
    ast.Try: lambda node: [*node.body, *node.finalbody],
    ast.BoolOp: lambda node: [node.values[0]],
    ast.Match: lambda node: [node.subject],
    **dict.fromkeys((ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Raise), lambda _: []),
}


def walk_scope(*roots: ast.AST) -> Iterable[ast.AST]:
    """Walk nodes, entering of nested functions, lambdas and classes their decorators, defaults and bases alone."""
    return own(roots[0]) if len(roots) == 1 else itertools.chain.from_iterable(map(own, roots))


def binds(*roots: ast.AST) -> set[str]:
    """The names that the nodes bind or delete in their own scope; a walrus inside a comprehension is among them."""
    return set().union(*map(_binds, roots))


@kept
def _binds(root: ast.AST) -> frozenset[str]:
    found: set[str] = set()
    inner: set[int] = set()  # a comprehension's own targets, met before the names themselves
    for node in own(root):
        if type(node) not in _BINDING:
            continue
        if isinstance(node, COMPREHENSIONS):
            inner |= {id(n) for g in node.generators for n in walk(g.target)}
        elif isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
            if id(node) not in inner:
                found.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {(a.asname or a.name).partition(".")[0] for a in node.names}
        elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
            found.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            found.add(node.rest)
    return frozenset(found)


def binds_surely(*roots: ast.AST) -> set[str]:
    """The names of `binds` without those that a part binds which may not run: behind `and`, in `x if c else y`, …"""
    return binds(*roots).difference(*map(_binds_perhaps, roots))


@kept
def _binds_perhaps(root: ast.AST) -> frozenset[str]:
    unsure: list[ast.AST] = []
    for node in own(root):
        if type(node) not in _PARTLY_RUN:
            continue
        if isinstance(node, ast.BoolOp):
            unsure += node.values[1:]
        elif isinstance(node, ast.IfExp):
            unsure += [node.body, node.orelse]
        elif isinstance(node, ast.Compare):
            unsure += node.comparators[1:]
        elif isinstance(node, COMPREHENSIONS):
            unsure.append(node)
        elif isinstance(node, ast.Assert) and node.msg is not None:
            unsure.append(node.msg)
    return frozenset(n.target.id for u in unsure for n in walk(u) if isinstance(n, ast.NamedExpr))


def reads(*roots: ast.AST) -> set[str]:
    """The names that the nodes read, nested functions and lambdas included."""
    return set().union(*map(_reads, roots))


@kept
def _reads(root: ast.AST) -> frozenset[str]:
    own: set[str] = set()
    for node in walk(root):
        if type(node) is ast.Name:
            if type(node.ctx) is not ast.Store:
                own.add(node.id)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            own.add(node.target.id)
    if isinstance(root, COMPREHENSIONS):
        targets = {n.id for g in root.generators for n in walk(g.target) if isinstance(n, ast.Name)}
        own = (own - targets) | _reads(root.generators[0].iter)
    elif isinstance(root, ast.Lambda):
        given = root.args
        every = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
        inner = {a.arg for a in every if a is not None}
        own = (own - inner) | reads(*(d for d in [*given.defaults, *given.kw_defaults] if d is not None))
    return frozenset(own)


def reached(node: ast.AST) -> Sequence[ast.AST]:
    """The children that are evaluated whenever the node is."""
    return _REACHED.get(type(node), children)(node)


class Flow:
    """Liveness and definite assignment of one function, computed once."""

    def __init__(self, function: FunctionNode) -> None:
        self.function = function
        self._live: dict[int, frozenset[str]] = {}
        self._bound: dict[int, frozenset[str]] = {}
        self._breaks: list[tuple[frozenset[str], frozenset[str]]] = []

    @functools.cached_property
    def parameters(self) -> tuple[str, ...]:
        """All parameter names in order, `*args` and `**kwargs` included."""
        a = self.function.args
        rest = [x for x in (a.vararg,) if x], [x for x in (a.kwarg,) if x]
        return tuple(x.arg for x in [*a.posonlyargs, *a.args, *rest[0], *a.kwonlyargs, *rest[1]])

    @functools.cached_property
    def always_live(self) -> frozenset[str]:
        """Names that outlive the function's own statements: captured by nested functions, global, nonlocal."""
        found: set[str] = set()
        inside = by_type(self.function)
        for kind in SCOPES:
            for node in inside.get(kind, ()):
                if node is not self.function:
                    found |= {n.id for n in by_type(node).get(ast.Name, ())}
        for node in (*inside.get(ast.Global, ()), *inside.get(ast.Nonlocal, ())):
            found |= set(node.names)
        called = (call.func for call in inside.get(ast.Call, ()))
        if any(isinstance(f, ast.Name) and f.id in ("locals", "eval", "exec", "vars") for f in called):
            found |= binds(*self.function.body) | set(self.parameters)
        return frozenset(found)

    def live_after(self, statement: ast.stmt) -> frozenset[str]:
        """The names whose value may still be read when the statement is done."""
        if not self._live:
            self._block(self.function.body, frozenset())
        return self._live.get(id(statement), frozenset()) | self.always_live

    def bound_before(self, statement: ast.stmt) -> frozenset[str]:
        """The names that are bound on every path that reaches the statement."""
        if not self._bound:
            self._assign(self.function.body, frozenset(self.parameters))
        return self._bound.get(id(statement), frozenset())

    def entering(self, body: list[ast.stmt], out: frozenset[str]) -> frozenset[str]:
        """The names whose value may be read from the start of some statements on, when `out` are read behind them.

        A `continue` or `break` among them that belongs to a loop around them leads behind them.
        """
        apart = Flow(self.function)
        apart._breaks.append((out, out))
        return apart._block(body, out)

    def bound_after(self, body: list[ast.stmt], bound: frozenset[str]) -> frozenset[str]:
        """The names that are bound on every path to the end of the statements, when `bound` are where they begin."""
        return Flow(self.function)._assign(body, bound)

    # -- liveness, backwards -------------------------------------------------------------------------------------------
    def _block(self, body: list[ast.stmt], out: frozenset[str]) -> frozenset[str]:
        for statement in reversed(body):
            out = self._statement(statement, out)
        return out

    def _statement(self, s: ast.stmt, out: frozenset[str]) -> frozenset[str]:
        self._live[id(s)] = self._live.get(id(s), frozenset()) | out
        match s:
            case ast.Return() | ast.Raise():
                return frozenset(reads(s))
            case ast.Break():
                return self._breaks[-1][0] if self._breaks else out
            case ast.Continue():
                return self._breaks[-1][1] if self._breaks else out
            case ast.If():
                return self._block(s.body, out) | self._block(s.orelse, out) | reads(s.test)
            case ast.While():
                return self._loop(s.body, s.orelse, frozenset(reads(s.test)), frozenset(), out)
            case ast.For() | ast.AsyncFor():
                return self._loop(
                    s.body, s.orelse, frozenset(reads(s.target)), frozenset(binds(s.target)), out
                ) | reads(s.iter)
            case ast.With() | ast.AsyncWith():
                targets = [i.optional_vars for i in s.items if i.optional_vars]
                inner = self._block(s.body, out) - binds(*targets)
                self._also_live(s.body, out)  # the context may swallow an exception
                return inner | out & frozenset(binds(*s.body)) | reads(*(i.context_expr for i in s.items), *targets)
            case ast.Try() | TryStar():
                return self._try(s, out)
            case ast.Match():
                arms = [self._block(c.body, out) | reads(c.pattern, *([c.guard] if c.guard else [])) for c in s.cases]
                return frozenset(reads(s.subject)).union(out, *arms)
        if isinstance(s, (ast.Assign, ast.AnnAssign)):
            value = s.value
            targets = s.targets if isinstance(s, ast.Assign) else [s.target]
            killed = {
                n.id for t in targets for n in walk(t) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
            }
            if value is None:
                return out
            return frozenset((out - killed) | reads(value, *targets))
        return frozenset((out - (binds_surely(s) if not isinstance(s, ast.AugAssign) else set())) | reads(s))

    def _loop(
        self,
        body: list[ast.stmt],
        orelse: list[ast.stmt],
        test: frozenset[str],
        kills: frozenset[str],
        out: frozenset[str],
    ) -> frozenset[str]:
        after = self._block(orelse, out) if orelse else out
        head = after | test
        for _ in range(2):
            self._breaks.append((out, head))
            head = head | (self._block(body, head) - kills) | test
            self._breaks.pop()
        return head

    def _try(self, s: ast.Try, out: frozenset[str]) -> frozenset[str]:
        final = self._block(s.finalbody, out) if s.finalbody else out
        handlers = frozenset[str]().union(
            *(self._block(h.body, final) | (reads(h.type) if h.type else set()) for h in s.handlers)
        )
        after = self._block(s.orelse, final) if s.orelse else final
        thrown = handlers | final if s.finalbody else handlers
        inner = self._block(s.body, after | thrown)
        self._also_live(s.body, thrown)
        # A return or an exception of theirs runs the `finally` block too.
        for body in (s.orelse, *(h.body for h in s.handlers)):
            self._also_live(body, final)
        return inner | thrown

    def _also_live(self, body: list[ast.stmt], names: frozenset[str]) -> None:
        """Record that whatever leaves a block on the way may lead to where these names are read."""
        for statement in body:
            for child in walk(statement):
                if isinstance(child, ast.stmt):
                    self._live[id(child)] = self._live.get(id(child), frozenset()) | names

    # -- definite assignment, forwards ---------------------------------------------------------------------------------
    def _assign(self, body: list[ast.stmt], bound: frozenset[str]) -> frozenset[str]:
        """The names bound after the block; a block that always leaves binds everything (its end is never reached)."""
        for s in body:
            self._bound[id(s)] = bound
            match s:
                case ast.If():
                    bound = bound | binds_surely(s.test)
                    then, other = self._assign(s.body, bound), self._assign(s.orelse, bound)
                    bound = other if leaves(s.body) else then if leaves(s.orelse) else then & other
                case ast.For() | ast.AsyncFor():
                    bound = bound - unbinds(s)
                    self._assign(s.body, bound | binds_surely(s.iter) | binds(s.target))
                    self._assign(s.orelse, bound)
                case ast.While():
                    bound = bound - unbinds(s)
                    self._assign(s.body, bound | binds_surely(s.test))
                    self._assign(s.orelse, bound)
                case ast.With() | ast.AsyncWith():
                    inside = bound | binds_surely(*s.items)
                    self._assign(s.body, inside)
                    bound = inside - unbinds(s)
                case ast.Try() | TryStar():
                    bound = self._assign_try(s, bound)
                case ast.Match():
                    for case in s.cases:
                        self._assign(case.body, bound | binds(case.pattern))
                    bound = bound - unbinds(s)
                case ast.Delete():
                    bound = bound - binds(s)
                case _:
                    bound = bound | binds_surely(s)
        return bound

    def _assign_try(self, s: ast.Try, bound: frozenset[str]) -> frozenset[str]:
        """What is bound where any of its ways through, the body or a handler, comes to its end."""
        done = self._assign(s.orelse, self._assign(s.body, bound))
        ends = [] if leaves(s.body) or leaves(s.orelse) else [done]
        left = bound - unbinds(s)
        for handler in s.handlers:
            caught = {handler.name} if handler.name else set()
            end = self._assign(handler.body, left | caught) - caught
            ends += [] if leaves(handler.body) else [end]
        last = self._assign(s.finalbody, left)
        return (frozenset.intersection(*ends) if ends else left) - unbinds_in(s.finalbody) | (last - left)


def unbinds_in(body: list[ast.stmt]) -> set[str]:
    """The names that the statements of a block delete."""
    return set().union(*(unbinds(s) for s in body))


def unbinds(root: ast.AST) -> set[str]:
    """The names that a statement, or one inside of it, deletes; that of a caught exception goes with its handler."""
    found: set[str] = set()
    for node in walk_scope(root):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del):
            found.add(node.id)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            found.add(node.name)
    return found


def leaves(body: list[ast.stmt]) -> bool:
    """True where the end of the block is never reached: it returns, raises, breaks or continues on every path."""
    if not body:
        return False
    last = body[-1]
    if isinstance(last, (ast.Return, ast.Raise, ast.Break, ast.Continue)):
        return True
    if isinstance(last, ast.If):
        return leaves(last.body) and leaves(last.orelse)
    return False


def past(statements: Iterable[ast.stmt]) -> list[tuple[ast.expr, bool]] | None:
    """The tests, each with its outcome, that lead past the exits of some statements; None for exits of other kinds."""
    found: list[tuple[ast.expr, bool]] = []
    for s in statements:
        jumps = [*(n for n in walk_scope(s) if isinstance(n, LEAVING)), *own_jumps([s])]
        if not jumps:
            continue
        if not isinstance(s, ast.If) or len(jumps) > 1 or leaves(s.body) == leaves(s.orelse):
            return None
        found.append((s.test, not leaves(s.body)))
    return found


def own_jumps(body: Sequence[ast.AST]) -> Iterator[ast.Break | ast.Continue]:
    """The `break` and `continue` statements that belong to the loop with this body."""
    for node in body:
        if isinstance(node, (ast.Break, ast.Continue)):
            yield node
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
            yield from own_jumps(node.orelse)
        elif not isinstance(node, (*SCOPES, ast.expr)):
            yield from own_jumps(list(children(node)))
