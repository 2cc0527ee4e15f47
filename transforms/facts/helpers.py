"""Helpers of the file that Dynamo can not trace: calls that may run as ops, and functions better left to Python."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ..model import Level, NoFix
from ..trees import children
from .classes import FunctionNode
from .flow import walk_scope
from .opaque import Opaque, opaque
from .passing import Param, Passing
from .readers import reading
from .sinks import Sink, Source

if TYPE_CHECKING:
    from . import Facts


# Methods by which a container or a file takes what it is given.
GROWS = frozenset({"append", "extend", "add", "insert", "appendleft", "update", "setdefault", "write", "put"})


class Helpers:
    """The helpers of one file."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self._sources: dict[ast.FunctionDef, Source | None] = {}
        self._sought: set[ast.FunctionDef] = set()
        self._opaque: dict[ast.FunctionDef, Opaque | NoFix | None] = {}

    def sink(self, node: ast.Expr) -> Sink | NoFix | None:
        """The op for a call of a function of the file whose result is unused; None where Dynamo can trace it."""
        return self._outcomes.get(id(node))

    @functools.cached_property
    def _outcomes(self) -> dict[int, Sink | NoFix]:
        """The outcomes of all calls whose result is unused.

        A helper is out where code that stays traced uses what it changes.
        """
        found: dict[int, Sink | NoFix] = {}
        nodes = self.facts.names.nodes(ast.Expr)
        for node in nodes:
            outcome = self._outcome(node)
            if outcome is not None:
                found[id(node)] = outcome
        while True:
            refused = {
                id(n): r
                for n in nodes
                if isinstance(found.get(id(n)), Sink) and (r := self._shared(n, found)) is not None
            }
            if not refused:
                return found
            found |= refused

    def _outcome(self, node: ast.Expr) -> Sink | NoFix | None:
        call = node.value
        target = self.facts.calls.target(call) if isinstance(call, ast.Call) else None
        if target is None and isinstance(call, ast.Call):
            return self._container(node, call)
        if target is None or self.facts.regions.of(target.function).evidence.level is Level.NO:
            return None
        assert isinstance(call, ast.Call)
        function = target.function
        given = target.given(call)
        read = {n: self._read(a) for n, a in given.items()}
        tensors = frozenset(n for n, a in given.items() if read[n] is None and self.facts.kinds.of(a).is_tensor)
        found = reading(function, tensors, self.facts)
        if not found.sites and not any(read.values()):
            return None
        refused = self._reachable(call, function, target.bound)
        if refused is not None and not found.reads and not any(read.values()):
            return None  # what it logs and prints is found where it does so
        if (
            len(call.args) > len(target.positional)
            or any(isinstance(a, ast.Starred) for a in call.args)
            or any(k.arg is None for k in call.keywords)
        ):
            refused = refused or NoFix("its arguments are unpacked")
        refused = refused or found.refusal or self._raises(node, function)
        return refused or self._call(node, call, given, function)

    def _container(self, node: ast.Expr, call: ast.Call) -> Sink | NoFix | None:
        """The op for `history.append(loss.item())`, where `history` is a container of the module."""
        func = call.func
        if not isinstance(func, ast.Attribute) or not isinstance(func.value, ast.Name) or func.attr not in GROWS:
            return None
        given = [*call.args, *(k.value for k in call.keywords)]
        made = self.facts.names.single_value(func.value)
        ours = self.facts.sinks.of_module(func.value) and isinstance(made, (ast.List, ast.Dict, ast.Set, ast.Call))
        if not ours or not self.facts.effects.of(given).reads:
            return None
        if any(isinstance(a, ast.Starred) for a in given) or any(k.arg is None for k in call.keywords):
            return NoFix("its arguments are unpacked")
        kept = next((a for g in given for a in _elements(g) if self.facts.kinds.of(a).is_tensor), None)
        if kept is not None:
            return NoFix(f"`{func.value.id}` would keep the tensor `{ast.unparse(kept)}`")
        passing = Passing(self.facts)
        refused = passing.read([(a, False, False) for a in given])
        name = f"_{func.attr}_{func.value.id.strip('_').lower()}"
        return refused or Sink(node, name, tuple(passing.params), tuple(passing.replaced.items()))

    def _read(self, argument: ast.expr) -> tuple[ast.expr, str] | None:
        """The tensor of `t.item()`, `float(t)` and the like, and how the body writes it for a parameter."""
        if not isinstance(argument, ast.Call) or argument.keywords:
            return None
        inner: ast.expr | None = None
        if isinstance(argument.func, ast.Attribute) and argument.func.attr in ("item", "tolist") and not argument.args:
            inner, form = argument.func.value, f"{{}}.{argument.func.attr}()"
        elif len(argument.args) == 1 and self.facts.names.qualified(argument.func) in (
            "builtins.float",
            "builtins.int",
            "builtins.bool",
        ):
            inner, form = argument.args[0], f"{ast.unparse(argument.func)}({{}})"
            deeper = self._read(inner)
            inner, form = (deeper[0], form.format(deeper[1])) if deeper is not None else (inner, form)
        return (inner, form) if inner is not None and self.facts.kinds.of(inner).is_tensor else None

    def _call(self, node: ast.Expr, call: ast.Call, given: dict[str, ast.expr], function: FunctionNode) -> Sink | NoFix:
        params: list[Param] = []
        words: list[str] = []
        positional = [a.arg for a in [*function.args.posonlyargs, *function.args.args]]
        in_order = list(given) in (positional[: len(given)], positional[1 : len(given) + 1])
        for i, (name, argument) in enumerate(given.items()):
            passing = Passing(self.facts)
            inner, form = self._read(argument) or (argument, "{}")
            refused = passing.value(inner, name)
            if refused is not None:
                return refused
            (param,) = passing.params
            params.append(param)
            word = form.format(f"torch.Size({name})" if param.annotation.startswith("list[int]") else name)
            words.append(word if i < len(call.args) or in_order else f"{name}={word}")
        path = function.name.strip("_")
        if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name):
            path = f"{call.func.value.id.lower()}_{path}"
        base = f"_{path}_op" if f"_{path}" == function.name else f"_{path}"
        return Sink(node, base, tuple(params), (), body=f"{ast.unparse(call.func)}({', '.join(words)})")

    def in_sink(self, node: ast.stmt) -> bool:
        """True inside of a helper that runs as an op itself, or that Dynamo leaves alone."""
        function = self.facts.function_of(node)
        if function is None or self.facts.regions.of(function).explicit:
            return False
        if isinstance(function, ast.FunctionDef) and isinstance(
            self.source(function) or self.opaque(function), (Source, Opaque)
        ):
            return True
        callers = self.facts.calls.callers(function)
        return bool(callers) and all(self._becomes_op(c) for c in callers)

    def _becomes_op(self, call: ast.Call) -> bool:
        parent = self.facts.names.parent(call)
        return isinstance(parent, ast.Expr) and isinstance(self.sink(parent), Sink)

    def source(self, function: ast.FunctionDef) -> Source | None:
        """A function whose result is used and that cuts the graph more than once, without computing tensors itself."""
        if function not in self._sources:
            self._sources[function] = self._source(function)
        return self._sources[function]

    def _source(self, function: ast.FunctionDef) -> Source | None:
        region = self.facts.regions.of(function)
        if (
            not region
            or region.explicit
            or function.decorator_list
            or self.facts.names.parent(function) is not self.facts.source.tree
        ):
            return None
        callers = self.facts.calls.callers(function)
        uses = [n for n in self.facts.names.named(function.name) if isinstance(n.ctx, ast.Load)]
        direct = all(isinstance(p := self.facts.names.parent(n), ast.Call) and p.func is n for n in uses)
        if not callers or not direct or not any(self._used_in_graph(c) for c in callers):
            return None
        names = [a.arg for a in [*function.args.posonlyargs, *function.args.args]]
        tensors = {n for c in callers for n, a in zip(names, c.args, strict=False) if self.facts.kinds.of(a).is_tensor}
        found = reading(function, frozenset(tensors), self.facts)
        # A cut on a path that is seldom taken costs less than one at each call.
        always = [b for b in function.body if not isinstance(b, (ast.If, ast.Try))]
        certain = {n for n in found.sites if any(b.lineno <= n <= (b.end_lineno or 0) for b in always)}
        return Source(function) if tensors and len(certain) > 1 and not found.computes and not found.suspends else None

    def opaque(self, function: ast.FunctionDef) -> Opaque | NoFix | None:
        """A function of the module that may run as one op, where it cuts the graph and no rule has a cure for it."""
        if function in self._sought:
            self.facts.unsettled += 1
            return None
        if function not in self._opaque:
            self._sought.add(function)
            self._opaque[function] = None
            region = self.facts.regions.of(function)
            plain = not function.decorator_list and self.facts.names.parent(function) is self.facts.source.tree
            if region and not region.explicit and plain and not self.facts.regions.tells_compiled(function):
                callers = self.facts.calls.callers(function)
                found = opaque(function, self.facts) if any(self._used_in_graph(c) for c in callers) else None
                if found is not None and self.facts.breaks.incurable(function, "TR303"):
                    self._opaque[function] = found
            self._sought.discard(function)
        return self._opaque[function]

    def _used_in_graph(self, call: ast.Call) -> bool:
        home = self.facts.function_of(call)
        used = not isinstance(self.facts.names.parent(call), ast.Expr)
        return used and home is not None and bool(self.facts.regions.of(home))

    def _reachable(self, call: ast.Call, function: FunctionNode, bound: bool) -> NoFix | None:
        """Refuse a callee that the module can not name: a method is, where its object is a value of the module."""
        root: ast.expr = call.func
        while isinstance(root, ast.Attribute):
            root = root.value
        if isinstance(root, ast.Name) and self.facts.sinks.of_module(root):
            simple = (
                isinstance(call.func, ast.Attribute)
                and call.func.value is root
                and self.facts.names.single_value(root) is not None
            )
            return (
                None
                if not bound or simple
                else NoFix(f"nothing tells which object `{ast.unparse(call.func)}` belongs to")
            )
        if bound:
            return NoFix(f"`{function.name}` is a method: an op can not be given its object")
        return NoFix(f"`{ast.unparse(call.func)}` can not be reached from the module")

    def _raises(self, node: ast.stmt, function: FunctionNode) -> NoFix | None:
        if self.facts.effects.of_function(function).raises:
            return self.facts.sinks.caught(node)
        return None

    def _shared(self, node: ast.Expr, outcomes: Mapping[int, Sink | NoFix]) -> NoFix | None:
        """Refuse where code that stays traced reads or writes what the helper changes: it would see it too early."""
        assert isinstance(node.value, ast.Call)
        target = self.facts.calls.target(node.value)
        home = self.facts.function_of(node)
        if home is None:
            return None
        written = self._written(target.function, set()) if target is not None else set()
        func = node.value.func
        owned = target is None or target.bound
        if owned and isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name):
            written.add(func.value.id)
        for one in self._traced_around(home, outcomes) if written else ():
            for statement in walk_scope(*one.body):
                if isinstance(statement, ast.stmt) and not isinstance(outcomes.get(id(statement)), Sink):
                    used = next(
                        (n for n in _own_names(statement) if n.id in written and self.facts.sinks.of_module(n)), None
                    )
                    if used is not None:
                        return NoFix(
                            f"`{one.name}` also uses `{used.id}`, which `{ast.unparse(node.value.func)}` changes"
                        )
        return None

    def _traced_around(self, home: FunctionNode, outcomes: Mapping[int, Sink | NoFix]) -> set[FunctionNode]:
        """The functions that are traced together with `home`; not those that run as ops alone."""
        around: set[FunctionNode] = set()
        queue = [home]
        while queue:
            one = queue.pop()
            if one not in around and self.facts.regions.of(one).evidence.level is not Level.NO:
                around.add(one)
                callers = [self.facts.function_of(c) for c in self.facts.calls.callers(one)]
                queue += [f for f in callers if f is not None and self.facts.regions.of(f)]
                for call, target in self.facts.calls.callees(one):
                    if not isinstance(outcomes.get(id(self.facts.names.parent(call))), Sink):
                        queue.append(target.function)
        return around

    def _written(self, function: FunctionNode, seen: set[FunctionNode]) -> set[str]:
        """Names of the module whose objects the function rebinds or may change."""
        seen.add(function)
        found: set[str] = set()
        for n in walk_scope(*function.body):
            if isinstance(n, ast.Global):
                found |= set(n.names)
            elif isinstance(n, (ast.Attribute, ast.Subscript)):
                parent = self.facts.names.parent(n)
                changed = isinstance(n.ctx, (ast.Store, ast.Del)) or (
                    isinstance(n, ast.Attribute) and isinstance(parent, ast.Call) and parent.func is n
                )
                root: ast.expr = n
                while isinstance(root, (ast.Attribute, ast.Subscript)):
                    root = root.value
                own = isinstance(root, ast.Name) and self.facts.names.qualified(root) in (None, f".{root.id}")
                if (
                    changed
                    and own
                    and isinstance(root, ast.Name)
                    and self.facts.sinks.of_module(root)
                    and self.facts.sinks.logger(root) is None
                ):
                    found.add(root.id)
        for _, target in self.facts.calls.callees(function):
            if target.function not in seen:
                found |= self._written(target.function, seen)
        return found


def _elements(e: ast.expr) -> Iterator[ast.expr]:
    """What a display holds, however deep; other expressions hold themselves."""
    match e:
        case ast.Tuple() | ast.List() | ast.Set():
            for part in e.elts:
                yield from _elements(part)
        case ast.Dict():
            for part in e.values:
                yield from _elements(part)
        case ast.IfExp():
            yield from _elements(e.body)
            yield from _elements(e.orelse)
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
            yield from _elements(e.elt)
        case _:
            yield e


def _own_names(statement: ast.stmt) -> Iterator[ast.Name]:
    """The names in the statement itself, not in the statements of its block."""
    stack: list[ast.AST] = [
        c for c in children(statement) if not isinstance(c, (ast.stmt, ast.ExceptHandler, ast.match_case))
    ]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Name):
            yield node
        stack += list(children(node))
