"""Which expressions of a statement are computed outside of the graph and passed in."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..trees import children, walk
from .detours import Detour, detour
from .draws import draws, on_host
from .flags import Flag, flag_name
from .flow import COMPREHENSIONS, TryStar, binds, past, reads
from .items import LOOPS, items_read
from .moves import CONTEXTS, Moves
from .predicates import holds_tensor
from .values import ELSEWHERE, Tag

Guards = tuple[tuple[ast.expr, bool], ...]

# Parts may not be evaluated, or several times; places within an f-string are not known before Python 3.12.
_NOT_ENTERED = (
    *(ast.For, ast.While, ast.AsyncFor, ast.Lambda, ast.FunctionDef, ast.ClassDef, ast.Try, TryStar, *CONTEXTS),
    *(*COMPREHENSIONS, ast.BoolOp, ast.IfExp, ast.Raise, ast.Assert, ast.JoinedStr),
)


class Flagging(Moves):
    """The search for flags in one function, statement by statement."""

    def flags(self, statement: ast.stmt) -> Iterator[Flag]:
        """The largest expressions of a statement that stay on inputs and read a tensor on the host."""
        yield from self._visit(statement, ())

    def _tests(self, test: ast.expr, guards: Guards) -> Iterator[Flag]:
        """The flags of a condition; `not` stays where it is."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            yield from self._tests(test.operand, guards)
            return
        flag = self._flag(test, guards, boolean=True) or self._drawn(test, guards)
        if flag is not None:
            yield flag
        else:
            yield from self._visit(test, guards)

    def _visit(self, node: ast.AST, guards: Guards) -> Iterator[Flag]:
        if isinstance(node, ast.UnaryOp) and self.negates(node):
            yield from self._tests(node.operand, guards)
            return
        if isinstance(node, ast.expr):
            flag = self._flag(node, guards, boolean=False) or self._drawn(node, guards)
            if flag is not None:
                yield flag
                return
        if isinstance(node, ast.If):
            if isinstance(node.body[-1], ast.Raise) or (node.orelse and isinstance(node.orelse[-1], ast.Raise)):
                return  # a guard stays in the graph (TR103)
            yield from self._tests(node.test, guards)
            self.around.append(node)
            for body, holds in ((node.body, True), (node.orelse, False)):
                kept = (*guards, (node.test, holds))
                for child in body:
                    yield from self._visit(child, kept)
                    if (ahead := past([child])) is None:
                        break  # what follows may never be reached
                    kept = (*kept, *ahead)
            self.around.pop()
            return
        if isinstance(node, LOOPS):
            yield from self._loop(node, guards)
        if isinstance(node, _NOT_ENTERED):
            return
        for part in children(node):
            yield from self._visit(part, guards)

    def _loop(self, loop: ast.AST, guards: Guards) -> Iterator[Flag]:
        """What a loop runs over, which is evaluated once, and the items that it reads one by one."""
        over = loop.iter if isinstance(loop, ast.For) else None
        if isinstance(loop, COMPREHENSIONS):
            over = loop.generators[0].iter
        if over is not None:
            yield from self._visit(over, guards)
        self.around.append(loop)
        for items in items_read(loop, self.facts):
            sure = self.input_only([items.tensor], {items.tensor.id})
            kept = self.guards(items.node, guards, False) if sure else None
            if kept is not None:
                yield Flag(items.node, f"{items.tensor.id}_items", kept, False, items=items)
        self.around.pop()

    def _drawn(self, expr: ast.expr, guards: Guards) -> Flag | None:
        """A number that is drawn in Python: outside of the graph, as long as all are drawn in their order."""
        found = draws(expr, self.facts) if self.draws else []
        if not found or not on_host(expr, self.facts, whole=True):
            return None
        inside = set(map(id, found))
        before = [c for c in self.draws if id(c) not in inside and _starts(c) < _starts(found[0])]
        args = [a for c in found for a in [*c.args, *(k.value for k in c.keywords)]]
        names = reads(expr) - {n.id for c in found for n in walk(c.func) if isinstance(n, ast.Name)}
        others = set(self.facts.effects.of(self._preceding(expr)).unknown) - {ast.unparse(c.func) for c in before}
        if others or any(id(c) not in self.drawn for c in before) or not self.input_only([*args], names):
            return None
        kept = self.guards(expr, guards, False)
        if kept is None:
            return None
        self.drawn |= inside
        self.decided.add(id(expr))
        statement = self.facts.names.statement_of(expr)
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        name = f"{target.id}_drawn" if isinstance(target, ast.Name) else "drawn"
        return Flag(expr, name, kept, False, drawn=True)

    def _preceding(self, expr: ast.expr) -> list[ast.stmt]:
        """The statements that may run before an expression does, its own apart."""
        at = _starts(self.facts.names.statement_of(expr))
        blocks = [[n for n in walk(a) if isinstance(n, ast.stmt)] for a in self.around]
        return [*self.skipped, *(s for b in blocks for s in b if (s.end_lineno or 0) < at[0])]

    def _flag(self, expr: ast.expr, guards: Guards, boolean: bool) -> Flag | None:
        value = self.facts.kinds.of(expr)
        condition = boolean and holds_tensor(expr, self.facts)
        if not condition and not (value.tag is Tag.HOST and self._host_read(expr)):
            return None
        if self.around and reads(expr) & binds(self.around[0]):
            return None
        if any(isinstance(n, ast.NamedExpr) for n in walk(expr)):
            return None  # what it binds is read in the graph
        if ELSEWHERE in value.deps or "rng" in value.deps or not self.input_only([expr], reads(expr)):
            return None
        kept = self.guards(expr, guards, condition)
        if kept is None:
            return None
        return Flag(expr, flag_name(expr, self.facts), kept, condition)

    def _host_read(self, expr: ast.expr) -> bool:
        return isinstance(expr, (ast.Call, ast.Compare, ast.BinOp)) and any(
            isinstance(n, ast.Call)
            and (self.reads(n) or self.bakes(n))
            and not isinstance(detour(n, self.facts), Detour)
            for n in walk(expr)
        )


def _starts(node: ast.expr | ast.stmt) -> tuple[int, int]:
    """Where a node begins."""
    return node.lineno, node.col_offset
