"""Host values that one function reads of what it is given: the expression, and the conditions under which it runs."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..trees import children, walk
from .classes import FunctionNode
from .detours import Detour, detour
from .flow import COMPREHENSIONS, TryStar, binds, past, reads
from .idle import idle
from .moves import Moves
from .predicates import holds_tensor, total
from .regions import GRAD_MODES
from .values import ELSEWHERE, Tag

if TYPE_CHECKING:
    from . import Facts

Guards = tuple[tuple[ast.expr, bool], ...]

SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return)
_WALKS = frozenset({"builtins.enumerate", "builtins.zip", "builtins.reversed"})
# Dynamo takes no such object from its caller.
_OBJECTS = frozenset(f"builtins.{n}" for n in ("range", "zip", "enumerate", "reversed", "iter", "map", "filter", "set"))
MAX_INLINED = 3  # statements whose values go into an expression that is handed down
_CLOSED = (ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Try, TryStar, ast.While, ast.AsyncFor)
_UNSHOWN = (ast.Raise, ast.Assert, ast.JoinedStr, ast.NamedExpr, ast.Match, ast.AsyncWith, ast.GeneratorExp)


@dataclass(frozen=True)
class Wanted:
    """A value that a function could be handed.

    Attributes:
        function: the function.
        value: how to compute it from the function's parameters, `self` and what the module defines.
        guards: the conditions, each with its outcome, under which it may be computed.
        total: computing it raises for no input.
        host: it is no tensor.
        repeated: the function, or what it hands it to, computes it more than once a call.
        size: it is the size that the result of the reading call has.
        decides: it is a condition, each outcome of which makes a graph of its own.
    """

    function: FunctionNode
    value: ast.expr
    guards: Guards
    total: bool
    host: bool
    repeated: bool
    size: bool = False
    decides: bool = False

    @property
    def terms(self) -> list[ast.expr]:
        """All that is evaluated for it."""
        return [self.value, *(test for test, _ in self.guards)]


@dataclass(frozen=True, slots=True)
class Path:
    """What stands between a statement of a body and a node within it.

    Attributes:
        tests: the conditions, each with its outcome, under which the node is reached.
        unsure: it may not be reached for another reason: a loop without trips, an operand that is skipped.
        repeated: it may be reached more than once.
        within: the `with` statements around it.
        bound: names that loops and comprehensions bind on the way.
    """

    tests: Guards
    unsure: bool
    repeated: bool
    bound: frozenset[str]
    within: tuple[ast.With, ...] = ()


class Carried(Moves):
    """One function, read statement by statement up to where something is wanted."""

    top: ast.stmt  # the statement that it was read up to

    def __init__(self, facts: Facts, function: FunctionNode) -> None:
        super().__init__(facts, function, None, False)
        self.values: dict[str, ast.expr] = {}  # of the names that may be replaced by their value

    def wanted(self) -> Iterator[tuple[ast.expr, Wanted]]:
        """The host values that depend on the function's parameters alone, with the expressions that read them."""
        for statement in self.body:
            for node in self._readings(statement, statement):
                counted = repeats(node, self.facts)
                found = self._want(counted[0] if counted is not None else node, statement)
                if found is not None:
                    yield node, found if counted is None else summed(found, counted[1])
            self._pass(statement)

    def up_to(self, node: ast.AST) -> ast.stmt:
        """Read the body up to the statement that holds the node, and give that statement."""
        for statement in self.body:
            if any(n is node for n in walk(statement)):
                self.stand(node, statement, self.available)
                return statement
            self._pass(statement)
        raise ValueError("the node is not of the function")

    def stand(self, node: ast.AST, top: ast.stmt, available: set[str]) -> None:
        """Take what is known above a statement that holds the node."""
        self.top, self.available = top, available - (set() if isinstance(top, SIMPLE) else binds(top))
        self.around = self._beside(node, top)

    def _beside(self, node: ast.AST, top: ast.stmt) -> list[ast.AST]:
        """What of the statement may run before the node does."""
        if isinstance(top, ast.If) and any(n is node for n in walk(top.test)):
            return [n for n in walk(top.test) if isinstance(n, ast.Call) and n is not node]
        if not isinstance(top, SIMPLE):
            return [top]
        found = list(children(node)) if isinstance(node, ast.Call) else []
        child = node
        for around in self.facts.names.ancestors(node) if node is not top else ():
            found += [n for n in children(around) if n is not child]
            if around is top:
                break
            if isinstance(around, COMPREHENSIONS):
                return [top]
            child = around
        return [n for n in found if isinstance(n, (ast.expr, ast.keyword))]

    def _pass(self, statement: ast.stmt) -> None:
        self.around = []
        names = binds(statement)
        # A value that reads what is bound anew would be another one.
        self.values = {n: v for n, v in self.values.items() if n not in names and not names & reads(v)}
        if names & self.parameters or not self.movable(statement):
            self.skipped.append(statement)
            self.available -= names
            return
        self.moved.append(statement)
        self.available |= names
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)]) if not any(True for _ in self.sites_in(statement)):
                if name not in reads(statement.value):  # `c = c + 1` is of another `c`
                    self.values[name] = statement.value

    # -- what is read --------------------------------------------------------------------------------------------------
    def _readings(self, node: ast.AST, top: ast.stmt) -> Iterator[ast.expr]:
        """The largest expressions that read a tensor on the host, or the calls whose result has an unknown shape."""
        if isinstance(node, (*_CLOSED, *_UNSHOWN)):
            return
        if isinstance(node, ast.If) and (_ends_in_raise(node.body) or _ends_in_raise(node.orelse)):
            return  # a guard stays in the graph (TR103)
        if isinstance(node, ast.If) and idle(node, self.facts) is not None:
            return  # nobody need ask it in compiled code (TR108)
        if isinstance(node, ast.expr) and (self._reads_host(node) or self._decides(node)):
            self.around = self._beside(node, top)
            counted = repeats(node, self.facts)
            if self._known(counted[0] if counted is not None else node, top):
                yield node
                return
        for child in children(node):
            yield from self._readings(child, top)

    def _decides(self, node: ast.expr) -> bool:
        """True for a condition on a tensor, behind any `not`."""
        child: ast.AST = node
        around = self.facts.names.parent(node)
        while isinstance(around, ast.UnaryOp) and isinstance(around.op, ast.Not):
            child = around
            around = self.facts.names.parent(child)
        tested = isinstance(around, (ast.If, ast.IfExp)) and around.test is child
        return tested and not isinstance(node, ast.UnaryOp) and holds_tensor(node, self.facts)

    def _reads_host(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Subscript):
            return isinstance(node.ctx, ast.Load) and self.masked(node)
        if isinstance(node, ast.Call) and (
            self.facts.calls.target(node) is not None or self.facts.names.qualified(node.func) in _OBJECTS
        ):
            return False
        value = self.facts.kinds.of(node)
        if value.tag is Tag.HOST and isinstance(node, (ast.Call, ast.BinOp, ast.Compare)):
            return any(isinstance(n, ast.Call) and self._reading(n) for n in walk(node))
        return isinstance(node, ast.Call) and value.is_tensor and self._reading(node)

    def _reading(self, call: ast.Call) -> bool:
        return self.reads(call) and not isinstance(detour(call, self.facts), Detour)

    def _known(self, node: ast.expr, top: ast.stmt) -> bool:
        """True where the function's parameters alone decide it."""
        inner = {n.id for c in walk(node) if isinstance(c, COMPREHENSIONS) for g in c.generators for n in _names(g)}
        if inner or any(isinstance(n, (ast.Lambda, ast.NamedExpr, ast.Starred)) for n in walk(node)):
            return False
        names, deps = reads(node), self.facts.kinds.of(node).deps
        if not names & (self.parameters | set(self.values)) or ELSEWHERE in deps or "rng" in deps:
            return False
        first = isinstance(top, ast.If) and any(n is node for n in walk(top.test))
        loose = isinstance(top, (ast.If, ast.For, ast.With)) and not first and bool(names & binds(top))
        if loose or names & self.path(node, top).bound or any(self._outside_scope(n) for n in walk(node)):
            return False
        return self.input_only([node], names)

    def _outside_scope(self, node: ast.AST) -> bool:
        """True for a name of a function around this one."""
        if not isinstance(node, ast.Name):
            return False
        binding = self.facts.names.binding(node)
        own = self.facts.names.opened(self.function)
        return binding is not None and binding.scope is not own and binding.scope.kind != "module"

    def _want(self, node: ast.expr, top: ast.stmt) -> Wanted | None:
        decides = self._decides(node)
        path, value, sure = self.path(node, top), self.inlined(node), self.sure(node, decides)
        if decides and value is not None:
            value = ast.Call(ast.Name("bool", ast.Load()), [value], [])
        host = decides or self.facts.kinds.of(node).tag is Tag.HOST
        kept = self.conditions(path, sure)
        if value is None or kept is None or not self.free(path, host) or not (host or self._light(node)):
            return None
        return Wanted(self.function, value, kept, sure, host, path.repeated, decides=decides)

    def _light(self, node: ast.expr) -> bool:
        """True where a tensor is little more than selected: what is computed belongs into the graph."""
        parts = [node, *(self.values[n] for n in reads(node) & set(self.values))]
        calls = [n for part in parts for n in walk(part) if isinstance(n, ast.Call)]
        return len(calls) <= MAX_INLINED and all(self.facts.calls.target(c) is None for c in calls)

    def sure(self, node: ast.expr, truth: bool = False) -> bool:
        """True where computing the expression raises for no input, with what its names stand for."""
        inner = [self.values[n] for n in reads(node) & set(self.values)]
        return total(node, self.facts, truth, dtypes=True) and all(map(self.sure, inner))

    # -- where it is read ----------------------------------------------------------------------------------------------
    def path(self, node: ast.AST, top: ast.AST) -> Path:
        """What stands between a statement and a node within it."""
        tests: list[tuple[ast.expr, bool]] = []
        unsure, repeated, bound, within = False, False, set[str](), list[ast.With]()
        child = node
        for around in self.facts.names.ancestors(node) if node is not top else ():
            ahead = past(_before(child, around))
            unsure |= ahead is None
            tests[:0] = ahead or ()
            match around:
                case ast.If():
                    if child is not around.test:
                        tests.insert(0, (around.test, child in around.body))
                case ast.For() if child is not around.iter:
                    unsure, repeated = unsure or not self._trips(around.iter), True
                    bound |= {n.id for n in _names(around.target)}
                case ast.ListComp() | ast.SetComp() | ast.DictComp():
                    first = around.generators[0]
                    if not any(n is node for n in walk(first.iter)):
                        bound |= {n.id for g in around.generators for n in _names(g.target)}
                        plain = len(around.generators) == 1 and not first.ifs and self._trips(first.iter)
                        unsure, repeated = unsure or not plain, True
                case ast.IfExp():
                    unsure |= child is not around.test
                case ast.BoolOp():
                    unsure |= child is not around.values[0]
                case ast.With():
                    within.append(around)
                case ast.Try() | ast.While() | ast.Lambda() | ast.Match() | ast.GeneratorExp():
                    unsure = True
            if around is top:
                break
            child = around
        return Path(tuple(tests), unsure, repeated, frozenset(bound), tuple(within))

    def free(self, path: Path, host: bool) -> bool:
        """True where it does not matter to a value that it is computed outside of the `with` statements around."""
        contexts = [i.context_expr for w in path.within for i in w.items]
        made = [c.func if isinstance(c, ast.Call) else c for c in contexts]
        return all(self.facts.names.qualified(m) in GRAD_MODES for m in made) and (host or not contexts)

    def _trips(self, iterable: ast.expr) -> bool:
        """True where there is something to iterate over: a literal with elements, or a list of layers."""
        while isinstance(iterable, ast.Call) and self.facts.names.qualified(iterable.func) in _WALKS and iterable.args:
            iterable = iterable.args[0]
        if isinstance(iterable, (ast.Tuple, ast.List)):
            return bool(iterable.elts)
        return self.facts.calls.elements(iterable) is not None

    def conditions(self, path: Path, sure: bool) -> Guards | None:
        """The conditions to keep around what would be computed at the start; None where it must not be computed."""
        exits, observed = past(self.skipped), self.observed()
        if not sure and (exits is None or path.unsure or observed):
            return None
        kept: list[tuple[ast.expr, bool]] = []
        for asked, holds in [*(exits or ()), *path.tests]:
            # Where what was handed down is absent, nothing need be computed for it.
            handed = holds and isinstance(asked, ast.IfExp) and _stands_in(asked)
            test = asked.body if handed and isinstance(asked, ast.IfExp) else asked
            simple = not holds_tensor(test, self.facts) and self.input_only([test], reads(test))
            value = self.inlined(test) if simple and (not observed or self.sure(test)) else None
            if value is None:
                # A condition may stand on those before it; without one of Python's it would be read oftener.
                return tuple(kept) if sure and (simple or holds_tensor(test, self.facts)) else None
            kept.append((value, holds))
        return tuple(kept)

    # -- in other words ------------------------------------------------------------------------------------------------
    def inlined(self, node: ast.expr) -> ast.expr | None:
        """The expression in terms of the parameters alone; None where a name has no single value to stand for it."""
        made = copied(node)
        for _ in range(MAX_INLINED + 1):
            local = [n for n in walk(made) if isinstance(n, ast.Name) and n.id in self.values]
            if not local:
                unknown = reads(made) & set(binds(*self.function.body)) - self.parameters
                return made if not unknown else None
            name = local[0].id
            if sum(n.id == name for n in local) > 1 and not isinstance(self.values[name], (ast.Name, ast.Attribute)):
                return None
            made = replaced(made, {name: self.values[name]})
        return None


def repeats(node: ast.expr, facts: Facts) -> tuple[ast.expr, bool] | None:
    """The counts by which `x.repeat_interleave(counts)` repeats, where nothing tells how long the result gets.

    True with them where there is no `x`: `torch.repeat_interleave(counts)`.
    """
    if not isinstance(node, ast.Call) or any(k.arg in (None, "output_size") for k in node.keywords):
        return None
    function = facts.names.qualified(node.func) == "torch.repeat_interleave"
    method = isinstance(node.func, ast.Attribute) and node.func.attr == "repeat_interleave" and not function
    alone = function and len(node.args) + len(node.keywords) == 1
    given = node.args[1:] if function and not alone else node.args
    counts = next((k.value for k in node.keywords if k.arg == "repeats"), given[0] if given else None)
    known = (function or method) and counts is not None and facts.kinds.of(counts).is_tensor
    return (counts, alone) if known and counts is not None else None


def summed(wanted: Wanted, alone: bool) -> Wanted:
    """The sum of the value, as a number; a single count is one for all rows."""
    value = _called(_called(wanted.value, "sum"), "item")
    several = ast.Compare(_called(wanted.value, "numel"), [ast.NotEq()], [ast.Constant(1)])
    guards = wanted.guards if alone else (*wanted.guards, (several, True))
    return replace(wanted, value=value, guards=guards, host=True, size=True)


def _called(on: ast.expr, method: str) -> ast.Call:
    return ast.Call(ast.Attribute(on, method, ast.Load()), [], [])


def replaced(node: ast.expr, names: Mapping[str, ast.expr]) -> ast.expr:
    """A copy of the expression with names replaced by expressions."""

    class Replacing(ast.NodeTransformer):
        def visit_Name(self, found: ast.Name) -> ast.expr:
            return copied(names[found.id]) if found.id in names else found

    made: ast.expr = Replacing().visit(copied(node))
    return made


def copied(node: ast.expr) -> ast.expr:
    """The same expression in new nodes, which keep no answers of the old ones."""
    return ast.parse(ast.unparse(node), mode="eval").body


def decided(test: ast.expr) -> bool | None:
    """The outcome of `x is None` and `x is not None` where the text of `x` tells it."""
    match test:
        case ast.Compare(left=left, ops=[ast.Is() | ast.IsNot() as op], comparators=[ast.Constant(value=None)]):
            computed = isinstance(left, (ast.BinOp, ast.UnaryOp, ast.Compare))
            known = computed or isinstance(left, ast.Constant)
            return (isinstance(left, ast.Constant) and left.value is None) is isinstance(op, ast.Is) if known else None
    return None


def _stands_in(choice: ast.IfExp) -> bool:
    """`given if given is not None else own`."""
    asked = ast.Compare(choice.body, [ast.IsNot()], [ast.Constant(None)])
    return isinstance(choice.body, ast.Name) and ast.unparse(choice.test) == ast.unparse(asked)


def _before(child: ast.AST, around: ast.AST) -> list[ast.stmt]:
    """What stands before a statement in its block."""
    blocks = (getattr(around, name, None) for name in ("body", "orelse", "finalbody"))
    block = next((b for b in blocks if isinstance(b, list) and child in b), None)
    return [] if block is None else block[: block.index(child)]


def _names(node: ast.AST) -> list[ast.Name]:
    return [n for n in walk(node) if isinstance(n, ast.Name)]


def _ends_in_raise(body: Sequence[ast.stmt]) -> bool:
    return bool(body) and isinstance(body[-1], ast.Raise)
