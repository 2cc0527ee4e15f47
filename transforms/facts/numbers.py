"""What of a method is plain Python on numbers that its instance keeps."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..trees import children, walk
from .classes import ClassInfo, FunctionNode, is_attribute_of
from .flow import binds, walk_scope
from .predicates import total
from .regions import GRAD_MODES
from .values import Tag

if TYPE_CHECKING:
    from . import Facts

NUMBERS = frozenset({"int", "float", "bool"})
CALM = frozenset({"builtins.min", "builtins.max", "builtins.abs", "builtins.bool"})
STEADY = CALM | {"builtins.int", "builtins.float", "builtins.round", "builtins.len"}
Store = ast.Assign | ast.AugAssign | ast.AnnAssign


class NumberCode:
    """A method and the numbers of its instance that it changes.

    Attributes:
        stores: the statements that assign each attribute.
        state: the attributes that hold numbers.
        sites: the statements by which an int depends on the one before.
        hosts: locals known to hold Python values.
        readers: methods that only compute a Python value from the numbers, with the attributes they read.
    """

    def __init__(self, facts: Facts, function: FunctionNode, info: ClassInfo, owner: str) -> None:
        self.facts, self.function, self.info, self.owner = facts, function, info, owner
        self.body = function.body[1:] if ast.get_docstring(function, clean=False) is not None else function.body
        self.parameters = set(facts.flow(function).parameters) - {owner}
        self.readers: dict[str, set[str]] = {}  # methods that compute a Python value from the numbers
        self.stores = self._find_stores()
        self.state = frozenset(a for a in self.stores if self._is_number(a))
        counting = {a for a in self.state if any(self._counts(s, a) for s in self.stores[a])}
        self.sites = tuple(
            dict.fromkeys(
                s
                for a in self.stores
                if a in counting and self._is_int(a)
                for s in self.stores[a]
                if self._counts(s, a)
            )
        )
        self.hosts: set[str] = set()

    # -- the numbers ---------------------------------------------------------------------------------------------------
    def _find_stores(self) -> dict[str, list[Store]]:
        found: dict[str, list[Store]] = {}
        for node in walk_scope(*self.function.body):
            if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
                for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                    for part in target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]:
                        if is_attribute_of(part, self.owner):
                            found.setdefault(part.attr, []).append(node)
        return found

    def _starts(self, attribute: str) -> list[str]:
        """The types of the values that the constructor gives the attribute."""
        values = [self.facts.kinds.of(v) for v in self.info.attribute(attribute)]
        return ["none" if v.tag is Tag.NONE else v.detail if v.tag is Tag.HOST else "?" for v in values]

    def _is_number(self, attribute: str) -> bool:
        starts = self._starts(attribute)
        latched = starts == ["none"] and any(isinstance(s, ast.AugAssign) for s in self.stores[attribute])
        return bool(starts) and (latched or set(starts) <= NUMBERS)

    def _is_int(self, attribute: str) -> bool:
        return bool({"int", "none"} & set(self._starts(attribute)))

    def _counts(self, store: Store, attribute: str) -> bool:
        """True where the number stored depends on the one before."""
        if isinstance(store, ast.AugAssign):
            return is_attribute_of(store.target, self.owner)
        return store.value is not None and attribute in self._reads_of(store.value)

    def _reads_of(self, *nodes: ast.AST) -> set[str]:
        """The attributes of the instance that the nodes read."""
        found = set()
        for node in (n for root in nodes for n in walk(root)):
            if is_attribute_of(node, self.owner) and isinstance(node.ctx, ast.Load):
                found.add(node.attr)
            elif isinstance(node, ast.AugAssign) and is_attribute_of(node.target, self.owner):
                found.add(node.target.attr)
        return found.union(*(self.readers[a] for a in found if a in self.readers))

    def _stored_in(self, *nodes: ast.AST) -> set[str]:
        return {
            n.attr
            for n in walk_scope(*nodes)
            if isinstance(n, ast.Attribute) and is_attribute_of(n, self.owner) and not isinstance(n.ctx, ast.Load)
        }

    def _only_reads(self, method: FunctionNode) -> bool:
        """True where the method of `self` alone computes a Python value, and does nothing else."""
        effect = self.facts.effects.of_function(method)
        alone = len(self.facts.flow(method).parameters) == 1 and not any(self._uses(m) for m in self._called_by(method))
        return alone and effect.pure and not effect.reads and self.facts.kinds.returned(method, {}).tag is Tag.HOST

    def _called_by(self, method: FunctionNode) -> list[FunctionNode]:
        found = (self.info.method(n.attr) for n in walk(method) if isinstance(n, ast.Attribute))
        return [m for m in found if m is not None]

    def _uses(self, root: ast.AST) -> set[str]:
        return {n.attr for n in walk(root) if isinstance(n, ast.Attribute)} & self.state

    # -- host code -----------------------------------------------------------------------------------------------------
    def _host(self, e: ast.expr) -> bool:
        """True where the expression is certainly a Python value, computed from such values."""
        if self.facts.kinds.of(e).tag in (Tag.HOST, Tag.NONE):
            return True
        match e:
            case ast.Constant():
                return True
            case ast.Name():
                return e.id in self.hosts
            case ast.Attribute():
                return is_attribute_of(e, self.owner) and e.attr in self.state
            case ast.BinOp():
                return self._host(e.left) and self._host(e.right)
            case ast.UnaryOp():
                return self._host(e.operand)
            case ast.BoolOp():
                return all(self._host(v) for v in e.values)
            case ast.IfExp():
                return self._host(e.test) and self._host(e.body) and self._host(e.orelse)
            case ast.Compare():
                identity = all(isinstance(o, (ast.Is, ast.IsNot)) for o in e.ops)
                return identity or all(self._host(x) for x in (e.left, *e.comparators))
            case ast.Call():
                called = self.facts.names.qualified(e.func) or ""
                known = called.startswith("math.") or called in STEADY
                return known and all(self._host(a) for a in e.args) and not e.keywords
        return False

    def _host_statement(self, s: ast.stmt) -> bool:
        """True where the statement only computes Python values into locals and numbers of the instance."""
        if isinstance(s, ast.If):
            return self._host(s.test) and all(self._host_statement(x) for x in [*s.body, *s.orelse])
        if isinstance(s, ast.Pass):
            return True
        if isinstance(s, ast.With):
            modes = (i.context_expr for i in s.items)
            plain = all(isinstance(m, ast.Call) and self.facts.names.qualified(m.func) in GRAD_MODES for m in modes)
            return plain and all(self._host_statement(x) for x in s.body)
        if not isinstance(s, (ast.Assign, ast.AugAssign, ast.AnnAssign)) or s.value is None:
            return False
        targets = s.targets if isinstance(s, ast.Assign) else [s.target]
        parts = [p for t in targets for p in (t.elts if isinstance(t, (ast.Tuple, ast.List)) else [t])]
        if not all(isinstance(p, ast.Name) or (is_attribute_of(p, self.owner) and p.attr in self.state) for p in parts):
            return False
        several = isinstance(s.value, ast.Tuple) and not any(isinstance(e, ast.Starred) for e in s.value.elts)
        return all(self._host(v) for v in (s.value.elts if several and isinstance(s.value, ast.Tuple) else [s.value]))

    def _guard(self, s: ast.stmt) -> bool:
        """True for a check of Python values that only raises."""
        if isinstance(s, ast.If):
            effect = self.facts.effects.of([s.test, *(n for x in s.body for n in children(x))])
            raising = len(s.body) == 1 and isinstance(s.body[0], ast.Raise) and not s.orelse
            return raising and self._host(s.test) and not (effect.reads or effect.io or effect.stores or effect.mutates)
        return isinstance(s, ast.Assert) and self._host(s.test) and not self.facts.effects.of([s]).reads

    def _quiet(self, s: ast.stmt, opening: bool) -> bool:
        """True where the statement changes nothing but the numbers, and reads no tensor unless it opens the body."""
        effect = self.facts.effects.of(s.body if isinstance(s, ast.With) else [s])
        if (
            effect.mutates - {f"{self.owner}.{a}" for a in self.state} - binds(s)
            or effect.io
            or effect.unknown
            or effect.random
            or effect.raises
            or effect.jumps
        ):
            return False
        return opening or not (effect.reads or effect.breaks)

    def _total(self, s: ast.stmt) -> bool:
        """True where the statement cannot raise."""
        if isinstance(s, ast.If):
            return total(s.test, self.facts) and all(self._total(x) for x in [*s.body, *s.orelse])
        if isinstance(s, ast.Pass) or (isinstance(s, ast.Return) and s.value is None):
            return True
        return (
            isinstance(s, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return, ast.Expr))
            and s.value is not None
            and (_bare(s.value) or total(s.value, self.facts))
        )


def _bare(e: ast.expr) -> bool:
    """True for names and constants, and displays of them."""
    if isinstance(e, ast.Dict):
        return all(isinstance(k, ast.Constant) for k in e.keys) and all(_bare(v) for v in e.values)
    return isinstance(e, (ast.Name, ast.Constant)) or (
        isinstance(e, (ast.Tuple, ast.List)) and all(_bare(x) for x in e.elts)
    )
