"""What lies between the breaks of a function that stays in Python: the runs and expressions that can be captured."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..trees import children, walk
from .changing import changing_state, changing_text, lengthened, root_name
from .classes import FunctionNode
from .extraction import order, part_names
from .flow import COMPREHENSIONS, binds, own_jumps, reads, walk_scope
from .gain import grad_mode, one_call, work
from .values import Tag

if TYPE_CHECKING:
    from . import Facts

Loop = ast.For | ast.While
MIN_RUN = 2  # tensor operations that make a frame of their own worth its guards; a layer counts as two
MIN_EXPRESSION = 3
_SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return)
_CONDITIONAL = (ast.IfExp, ast.BoolOp, ast.Lambda, *COMPREHENSIONS)


@dataclass(frozen=True, slots=True)
class Piece:
    """One function that is compiled.

    Attributes:
        base: what to call it, where the file does not use that name.
        statements: consecutive statements that move into it; empty for an expression.
        value: the expression that moves into it; None for statements.
        parameters: the locals that it takes, under their own names (without `self`).
        results: the locals that it gives back, in this order.
        given: expressions within that the caller computes, each with the name for its parameter.
    """

    base: str
    statements: tuple[ast.stmt, ...]
    value: ast.expr | None
    parameters: tuple[str, ...]
    results: tuple[str, ...] = ()
    given: tuple[tuple[ast.expr, str], ...] = ()


class Search:
    """The search for pieces in one function."""

    def __init__(
        self, function: FunctionNode, owner: str | None, facts: Facts, stays: frozenset[ast.AST] = frozenset()
    ) -> None:
        self.stays = stays
        self.function = function
        self.owner = owner
        self.facts = facts
        self.flow = facts.flow(function)
        self.body = function.body[1:] if ast.get_docstring(function, clean=False) is not None else function.body
        self.counting = self._counting()
        self.volatile = self._volatile()
        self.loops: list[Loop] = []
        self.broken = False  # something that stays in Python stands above
        self.found: list[Piece] = []

    def pieces(self) -> list[Piece]:
        """The pieces in order of the text."""
        self._block(self.body)
        return self.found

    # -- what changes from trip to trip --------------------------------------------------------------------------------
    def _counting(self) -> frozenset[str]:
        """Names of what may pick items with another number in each trip of a loop."""
        found: set[str] = set()
        for node in walk_scope(*self.body):
            if isinstance(node, ast.For):
                found |= binds(node.target)
            if isinstance(node, (ast.For, ast.While)):
                found |= {t for s in walk_scope(*node.body) if (t := self._counter(s))}
        # Python numbers that follow from these within a trip.
        for node in walk_scope(*self.body):
            follows = isinstance(node, ast.Assign) and reads(node.value) & found
            if follows and isinstance(node, ast.Assign) and self.facts.kinds.of(node.value).tag is Tag.HOST:
                found |= binds(*node.targets)
        return frozenset(found)

    def _counter(self, node: ast.AST) -> str | None:
        """The name that `n += 1` or `n = n + 1` counts on."""
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            return node.target.id if self.facts.kinds.of(node.value).tag is Tag.HOST else None
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            return name if name in reads(node.value) and self.facts.kinds.of(node.value).tag is Tag.HOST else None
        return None

    def _volatile(self) -> frozenset[str]:
        """Names of containers that grow, or whose elements are read out of tensors: each call would recompile."""
        found: set[str] = set()
        for node in walk_scope(*self.body):
            if (held := lengthened(node, self.facts)) is not None:
                found.add(root_name(held))
            elif isinstance(node, ast.Subscript) and isinstance(node.ctx, (ast.Store, ast.Del)):
                if self.facts.kinds.of(node.value).tag is Tag.SEQUENCE:
                    found.add(root_name(node.value))
            elif isinstance(node, ast.Assign):
                value = self.facts.kinds.of(node.value)
                listed = value.tag is Tag.SEQUENCE or value.detail == "list" or isinstance(node.value, COMPREHENSIONS)
                if listed and (self.facts.effects.of([node.value]).reads or self.facts.breaks.certain([node.value])):
                    found |= binds(node)
        return frozenset(found - {self.owner or ""})

    # -- statements ----------------------------------------------------------------------------------------------------
    def _block(self, body: Sequence[ast.stmt]) -> None:
        run: list[ast.stmt] = []
        for statement in body:
            if self._capturable(statement):
                run.append(statement)
                continue
            self._close(run)
            run = []
            self._inside(statement)
        self._close(run)

    def _inside(self, s: ast.stmt) -> None:
        """The pieces of a statement that stays."""
        match s:
            case ast.For():
                self._expressions(s, [s.iter])
                self._loop(s)
            case ast.While():
                self._expressions(s, [s.test])
                self._loop(s)
            case ast.If():
                self._expressions(s, [s.test])
                self._block(s.body)
                self._block(s.orelse)
            case ast.With() if grad_mode(s, self.facts):
                self._block(s.body)
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign() | ast.Expr() | ast.Return() if s.value is not None:
                self._expressions(s, [s.value])
        self.broken = True

    def _loop(self, loop: Loop) -> None:
        self.loops.append(loop)
        self._block(loop.body)
        self.loops.pop()
        self._block(loop.orelse)

    def _capturable(self, s: ast.stmt) -> bool:
        """True where the statement can be captured, and can move into a function of its own."""
        match s:
            case ast.Return():
                if s is not self.body[-1] or s.value is None:
                    return False
            case ast.Assign() | ast.AugAssign() | ast.AnnAssign() | ast.If() | ast.For() | ast.While():
                pass
            case ast.Expr():
                if self.facts.effects.of([s]).unknown and self.facts.kinds.of(s.value).tag is not Tag.TENSOR:
                    return False
            case ast.With():
                if not grad_mode(s, self.facts):
                    return False
            case _:
                return False
        if any(n in self.stays for n in walk_scope(s)):
            return False
        if self.loops and self._stores_item(s):
            return False  # the caller stores: what is stored into may begin to take gradients with the first trip
        if any(self._counter(n) for n in walk_scope(s)) and self.loops:
            return False
        leaves = any(isinstance(n, (ast.Return, ast.Raise)) for n in walk_scope(s) if n is not s)
        return not leaves and not list(own_jumps([s])) and changing_state([s], self.facts) is None and self._calm(s)

    def _stores_item(self, s: ast.stmt) -> bool:
        targets = s.targets if isinstance(s, ast.Assign) else [s.target] if isinstance(s, ast.AugAssign) else []
        return any(isinstance(t, ast.Subscript) for t in targets)

    def _calm(self, node: ast.stmt | ast.expr) -> bool:
        """True where nothing in it breaks the graph, or would have it compiled anew for each trip."""
        effect = self.facts.effects.of([node])
        if effect.reads or effect.io or effect.breaks or self.facts.breaks.certain([node]):
            return False
        if any(isinstance(n, (ast.NamedExpr, ast.Delete, ast.Await)) for n in walk(node)):
            return False
        held = _touched([node], self._items(node, set(), effect.mutates)) if isinstance(node, _SIMPLE) else reads(node)
        if (held | binds(node)) & self.volatile:
            return False
        moved = [node if isinstance(node, ast.stmt) else ast.copy_location(ast.Expr(node), node)]
        return all(changing_text(loop, moved, self.facts) is None for loop in self.loops)

    def _weight(self, nodes: Sequence[ast.AST]) -> int:
        layers = 0
        for node in walk_scope(*nodes):
            if isinstance(node, ast.Call):
                held = self.facts.kinds.of(node.func)
                layers += held.tag is Tag.MODULE and held.detail.startswith("torch.")
        return work(nodes, self.facts) + layers

    def _close(self, run: list[ast.stmt]) -> None:
        """Make a piece of consecutive statements, if they are worth it."""
        while run and not self._weight(run[:1]):
            run = run[1:]
        while run and not self._weight(run[-1:]):
            run = run[:-1]
        if self._weight(run) < MIN_RUN or one_call(run, None, self.facts):
            return
        returns = isinstance(run[-1], ast.Return)
        after = frozenset() if returns else self.flow.live_after(run[-1])
        given = self._given(run)
        touched = _touched(run, given)
        entering = self.flow.entering(run, after) & touched & self.facts.names.bound_in(self.function)
        bound = self.flow.bound_before(run[0])
        results = order(run, binds(*run) & after)
        wanted = order(run, entering - {self.owner})
        if not bound >= set(wanted) or not self.flow.bound_after(run, bound) >= set(results):
            return
        varying = {n for n in wanted if n in self.counting and self._number(n, run)}
        if len(varying) > (0 if self.stays else 1):
            return  # each of them would compile the piece twice more, and Dynamo keeps eight
        parameters = [*(n for n in results if n in wanted), *(n for n in wanted if n not in results)]
        where = "step" if self.loops else "end" if self.broken else "start"
        self.found.append(Piece(self._name(where), tuple(run), None, tuple(parameters), tuple(results), tuple(given)))

    def _number(self, name: str, run: Sequence[ast.stmt]) -> bool:
        """True for a name that may hold a Python number where the statements begin."""
        value = self.facts.kinds.before(run[0]).get(name)
        return value is None or value.tag in (Tag.HOST, Tag.UNKNOWN)

    def _name(self, where: str) -> str:
        step = part_names(self.loops[-1] if self.loops else None, self.function)[1]
        return step if where == "step" else f"{step.removesuffix('_step')}_{where}"

    # -- what the caller computes --------------------------------------------------------------------------------------
    def _given(self, run: Sequence[ast.stmt]) -> list[tuple[ast.expr, str]]:
        """Items picked by a number that each trip changes: Dynamo would compile the piece for the first numbers."""
        found: list[tuple[ast.expr, str]] = []
        changed = self.facts.effects.of(run).mutates
        for i, s in enumerate(run):
            before = self.facts.effects.of(run[:i])
            if not isinstance(s, _SIMPLE) or before.mutates or before.stores or before.unknown:
                break
            found += self._items(s, binds(*run), changed)
        return found

    def _items(self, root: ast.AST, bound: set[str], changed: set[str]) -> list[tuple[ast.expr, str]]:
        found: list[tuple[ast.expr, str]] = []
        for node in self._unconditional(root):
            inner = {id(n) for e, _ in found for n in walk(e)}
            if id(node) in inner or not isinstance(node, ast.Subscript):
                continue
            used = {n.id for n in walk(node) if isinstance(n, ast.Name)}
            plain = not any(isinstance(n, (ast.Call, *_CONDITIONAL)) for n in walk(node))
            picking = self.counting | self.volatile
            indices = {n.id for n in walk(node.slice) if isinstance(n, ast.Name)} & picking
            stays = plain and isinstance(node.ctx, ast.Load) and not used & bound and root_name(node) not in changed
            if stays and indices and self.facts.kinds.of(node.value).tag is not Tag.MODULE:
                word = ast.unparse(node.value).rpartition(".")[2]
                found.append((node, f"{word if word.isidentifier() else 'item'}_{min(indices)}"))
        return found

    def _unconditional(self, root: ast.AST) -> Iterator[ast.expr]:
        """The largest expressions first, of those that are evaluated whenever the statement is."""
        for child in children(root):
            if isinstance(child, _CONDITIONAL):
                continue
            if isinstance(child, ast.expr):
                yield child
            yield from self._unconditional(child)

    # -- expressions ---------------------------------------------------------------------------------------------------
    def _expressions(self, statement: ast.stmt, roots: Sequence[ast.expr]) -> None:
        """Make pieces of the largest expressions that can be captured."""
        for root in roots:
            if isinstance(root, ast.BoolOp):
                self._expressions(statement, root.values[:1])
            elif isinstance(root, (*_CONDITIONAL, ast.JoinedStr)):
                continue
            elif self._worth(root) and self._calm(root):
                given = self._items(root, set(), self.facts.effects.of([root]).mutates)
                used = reads(root) & self.facts.names.bound_in(self.function) - {self.owner or ""}
                if self.flow.bound_before(statement) >= used:
                    base = self._name("step").removesuffix("_step")
                    name = f"{base}_test" if isinstance(statement, (ast.If, ast.While)) else f"{base}_value"
                    taken = order([root], used & _touched([root], given))
                    self.found.append(Piece(name, (), root, tuple(taken), (), tuple(given)))
            else:
                inner = [c for c in children(root) if isinstance(c, (ast.expr, ast.keyword))]
                self._expressions(statement, [c.value if isinstance(c, ast.keyword) else c for c in inner])

    def _worth(self, expr: ast.expr) -> bool:
        if not isinstance(expr, (ast.Call, ast.BinOp, ast.Compare, ast.Subscript, ast.UnaryOp)):
            return False
        call = one_call([ast.copy_location(ast.Expr(expr), expr)], None, self.facts)
        return self._weight([expr]) >= MIN_EXPRESSION and not call and self.facts.kinds.of(expr).tag is not Tag.HOST


def _touched(nodes: Sequence[ast.AST], given: Sequence[tuple[ast.expr, str]]) -> set[str]:
    """The names in the nodes, apart from those that only the given expressions hold."""
    inside = {id(n) for e, _ in given for n in walk(e)}
    return {n.id for s in nodes for n in walk(s) if isinstance(n, ast.Name) and id(n) not in inside}
