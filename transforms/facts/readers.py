"""What a function of the file does with the tensors it is given: only read them, or keep or change them.

Inside of an op a tensor has no gradient history and its memory may be used again afterwards. So a function may run
there only if it takes numbers, text and fresh tensors out of what it is given, and stores nothing that shares memory
or history.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..model import NoFix
from ..trees import children, walk
from . import torch_api
from .classes import FunctionNode
from .handling import (
    ARITHMETIC,
    CLEAN,
    CONVERSIONS,
    ELEMENTS,
    FORBIDDEN,
    FRESH,
    GIVEN,
    HOST,
    LOGS,
    METADATA,
    OUTSIDE,
    PLAIN,
    READ,
    TO_HOST,
    UNREAD,
    State,
)

if TYPE_CHECKING:
    from . import Facts


@dataclass
class Reading:
    """What one function does with the tensors of some of its parameters.

    Attributes:
        refusal: why it must not run inside of an op, None where it may.
        sites: the lines at which Dynamo would cut the graph.
        reads: those of them that read a tensor on the host.
        result: what it returns.
        computes: it computes tensors of its own.
        suspends: it is a generator.
    """

    refusal: NoFix | None = None
    sites: set[int] = field(default_factory=set)
    reads: set[int] = field(default_factory=set)
    result: State = HOST
    computes: bool = False
    suspends: bool = False


def reading(
    function: FunctionNode, tensors: frozenset[str], facts: Facts, active: tuple[FunctionNode, ...] = ()
) -> Reading:
    """How the function treats the parameters named in `tensors`."""
    walker = _Walker(function, tensors, facts, (*active, function))
    if isinstance(function, ast.AsyncFunctionDef):
        walker.refuse("is a coroutine")
    for _ in range(2):  # a loop may read at its start what its end bound
        walker.block(function.body)
    return walker.found


class _Walker:
    def __init__(
        self, function: FunctionNode, tensors: frozenset[str], facts: Facts, active: tuple[FunctionNode, ...]
    ) -> None:
        self.facts = facts
        self.active = active
        self.env: dict[str, State] = dict.fromkeys(tensors, GIVEN)
        self.function = function
        self.found = Reading()
        self.outer = {n for node in walk(function) if isinstance(node, (ast.Global, ast.Nonlocal)) for n in node.names}

    def refuse(self, why: str) -> None:
        """Note the first reason why the function must not run inside of an op."""
        self.found.refusal = self.found.refusal or NoFix(f"`{self.function.name}` {why}")

    # -- statements ----------------------------------------------------------------------------------------------------
    def block(self, body: list[ast.stmt]) -> None:
        for statement in body:
            self._statement(statement)

    def _statement(self, s: ast.stmt) -> None:  # noqa: C901 - one case for each type of node
        match s:
            case ast.Expr():
                self._of(s.value)
            case ast.Assign():
                value = self._of(s.value)
                for target in s.targets:
                    self._store(target, value)
            case ast.AnnAssign():
                if s.value is not None:
                    self._store(s.target, self._of(s.value))
            case ast.AugAssign():
                value = self._of(s.value)
                if isinstance(s.target, ast.Name) and not self._of(s.target).tensor:
                    self._store(s.target, FRESH if value.tensor else HOST)
                elif self._of(s.target).tensor:
                    self.refuse(f"changes `{ast.unparse(s.target)}` in place on line {s.lineno}")
                elif value.tensor:
                    self.refuse(f"keeps a tensor on line {s.lineno}")
            case ast.Return():
                self.found.result |= self._of(s.value) if s.value is not None else HOST
            case ast.If() | ast.While():
                self._truth(s.test)
                self.block(s.body)
                self.block(s.orelse)
            case ast.For():
                self._store(s.target, self._of(s.iter))
                self.block(s.body)
                self.block(s.orelse)
            case ast.With():
                self._with(s)
            case ast.Try():
                self.block([*s.body, *(t for h in s.handlers for t in h.body), *s.orelse, *s.finalbody])
            case ast.Assert():
                self._truth(s.test)
                if s.msg is not None:
                    self._of(s.msg)
            case ast.Raise():
                for part in (s.exc, s.cause):
                    if part is not None:
                        self._of(part)
            case (
                ast.Global()
                | ast.Nonlocal()
                | ast.Pass()
                | ast.Break()
                | ast.Continue()
                | ast.Import()
                | ast.ImportFrom()
                | ast.Delete()
            ):
                return
            case _:
                self.refuse(f"holds a `{type(s).__name__}` on line {s.lineno}, which is not followed")

    def _with(self, s: ast.With) -> None:
        for item in s.items:
            if self._of(item.context_expr).tensor:
                self.refuse(f"hands a tensor to a context manager on line {s.lineno}")
            if not (self.facts.names.qualified(getattr(item.context_expr, "func", item.context_expr)) or "").startswith(
                "torch."
            ):
                self.found.sites.add(s.lineno)
        self.block(s.body)

    def _store(self, target: ast.expr, value: State) -> None:
        match target:
            case ast.Name():
                if target.id in self.outer and value.kept_badly:
                    self.refuse(f"keeps a tensor in `{target.id}` on line {target.lineno}")
                self.env[target.id] = self.env.get(target.id, HOST) | value
            case ast.Tuple() | ast.List():
                for element in target.elts:
                    self._store(element, value)
            case ast.Starred():
                self._store(target.value, value)
            case ast.Attribute() | ast.Subscript():
                if self._of(target.value).tensor:
                    self.refuse(f"changes `{ast.unparse(target.value)}` on line {target.lineno}")
                if isinstance(target, ast.Subscript):
                    self._of(target.slice)
                if value.kept_badly:
                    self.refuse(f"keeps a tensor in `{ast.unparse(target)}` on line {target.lineno}")

    def _truth(self, test: ast.expr) -> None:
        self._host(test, self._of(test))

    # -- expressions ---------------------------------------------------------------------------------------------------
    def _all(self, exprs: list[ast.expr]) -> State:
        found = HOST
        for e in exprs:
            found |= self._of(e)
        return found

    def _of(self, e: ast.expr) -> State:  # noqa: C901 - one case for each type of node
        match e:
            case ast.Name():
                return self.env.get(e.id, HOST)
            case ast.Constant():
                return HOST
            case ast.Attribute():
                return self._attribute(e)
            case ast.Call():
                return self._call(e)
            case ast.Subscript():
                self._of(e.slice)
                return self._of(e.value)
            case ast.BinOp():
                sides = self._all([e.left, e.right])
                if isinstance(e.op, ast.Mod) and isinstance(e.left, (ast.Constant, ast.JoinedStr)):
                    return self._host(e, sides)
                return self._made(sides)
            case ast.UnaryOp():
                value = self._of(e.operand)
                if isinstance(e.op, ast.Not):
                    return self._host(e, value)
                return self._made(value)
            case ast.Compare():
                sides = self._all([e.left, *e.comparators])
                if any(isinstance(o, (ast.Is, ast.IsNot)) for o in e.ops):
                    return HOST
                return CLEAN if sides.tensor else HOST
            case ast.BoolOp():
                return self._all(e.values)
            case ast.IfExp():
                self._truth(e.test)
                return self._all([e.body, e.orelse])
            case ast.JoinedStr():
                return self._all(e.values)
            case ast.FormattedValue():
                return self._host(e, self._of(e.value))
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                for g in e.generators:
                    self._store(g.target, self._of(g.iter))
                    self._all(list(g.ifs))
                return self._all([e.key, e.value] if isinstance(e, ast.DictComp) else [e.elt])
            case ast.NamedExpr():
                value = self._of(e.value)
                self._store(e.target, value)
                return value
            case ast.Lambda():
                if any(isinstance(n, ast.Name) and self.env.get(n.id, HOST).tensor for n in walk(e.body)):
                    self.refuse(f"puts a tensor into a lambda on line {e.lineno}")
                return HOST
            case ast.Yield() | ast.YieldFrom() | ast.Await():
                self.refuse("is a generator")
                self.found.suspends = True
        return self._all([c for c in children(e) if isinstance(c, ast.expr)])

    def _host(self, e: ast.expr, value: State) -> State:
        """A Python value made from it; where that is a tensor, the graph is cut."""
        if value.tensor:
            self.found.sites.add(e.lineno)
            self.found.reads.add(e.lineno)
        return HOST

    def _made(self, value: State) -> State:
        if value.array:
            return value
        self.found.computes |= value.tensor
        return FRESH if value.tensor else HOST

    def _attribute(self, e: ast.Attribute) -> State:
        base = self._of(e.value)
        if not base.tensor or e.attr in METADATA:
            return HOST
        if e.attr in FORBIDDEN or torch_api.attribute(e.attr) == "unknown":
            self.refuse(f"reads `{ast.unparse(e)}` on line {e.lineno}, which is another thing inside of an op")
        return State(True, base.shares, base.history and e.attr != "data")

    # -- calls ---------------------------------------------------------------------------------------------------------
    def _call(self, e: ast.Call) -> State:
        given = [*e.args, *(k.value for k in e.keywords)]
        qualified = self.facts.names.qualified(e.func)
        if qualified is not None and qualified.startswith("builtins."):
            return self._builtin(qualified.removeprefix("builtins."), e, self._all(given))
        if qualified is not None and not qualified.startswith("."):
            return self._imported(qualified, e, given)
        target = self.facts.calls.target(e)
        if target is not None and target.owner is None:
            return self._own(target.function, e, self._all(given))
        if isinstance(e.func, ast.Attribute):
            base = self._of(e.func.value)
            if base.tensor:
                return self._method(e, e.func, base, self._all(given))
            return self._foreign_method(e, e.func, self._all(given))
        if self._all(given).tensor:
            self.refuse(f"hands a tensor to `{ast.unparse(e.func)}` on line {e.lineno}")
        return HOST

    def _builtin(self, name: str, e: ast.Call, value: State) -> State:
        if name in TO_HOST:
            if name == "print":
                self.found.sites.add(e.lineno)
            return self._host(e, value)
        if name in ELEMENTS:
            return value
        if name in ARITHMETIC:
            return self._made(value)
        if name in PLAIN:
            return HOST
        if value.tensor:
            self.refuse(f"hands a tensor to `{name}` on line {e.lineno}")
        if name in ("open", "input", "exec", "eval"):
            self.found.sites.add(e.lineno)
        return HOST

    def _imported(self, qualified: str, e: ast.Call, given: list[ast.expr]) -> State:
        value = self._all(given)
        op = torch_api.function(qualified)
        if op is not None:
            return self._op(op, e, value)
        if qualified.startswith("numpy."):
            return State(value.tensor, value.shares, False, value.tensor)
        if qualified.startswith(OUTSIDE) and not qualified.startswith(("os.environ", "os.getenv")):
            self.found.sites.add(e.lineno)
        if qualified.startswith(("logging.", "warnings.")):
            return HOST
        if value.tensor or qualified.startswith("torch."):
            self.refuse(f"calls `{qualified}` on line {e.lineno}")
        return HOST

    def _op(self, op: torch_api.Op, e: ast.Call, value: State) -> State:
        if op.mutates or op.random != "never" or op.effect or any(k.arg in ("out", "inplace") for k in e.keywords):
            self.refuse(f"calls `{op.name}` on line {e.lineno}")
        if op.returns == "host":
            return self._host(e, value) if op.reads else HOST
        self.found.computes = True
        if op.alias == "fresh":
            return FRESH if value.history or not value.tensor else CLEAN
        return value | State(True)

    def _method(self, e: ast.Call, func: ast.Attribute, base: State, given: State) -> State:
        name = func.attr
        if name in READ:
            return self._host(e, base)
        if name in UNREAD:
            return HOST
        if name in FORBIDDEN:
            self.refuse(f"calls `{ast.unparse(func)}` on line {e.lineno}")
        if name in CONVERSIONS:
            return State(True, base.shares, base.history and name == "cpu", base.array or name == "numpy")
        if base.array:
            return base
        op = torch_api.method(name)
        if op is None:
            self.refuse(f"calls `{ast.unparse(func)}` on line {e.lineno}, of which nothing is known")
            return base
        return self._op(op, e, base | given)

    def _foreign_method(self, e: ast.Call, func: ast.Attribute, given: State) -> State:
        """A method of something that is no tensor: of a container, a file, a logger, a string."""
        text = func.attr in ("format", "join") and isinstance(func.value, (ast.Constant, ast.JoinedStr))
        if text:
            return self._host(e, given)
        if func.attr in LOGS:
            self.found.sites.add(e.lineno)
            return HOST
        if given.kept_badly:
            self.refuse(f"keeps a tensor by `{ast.unparse(func)}` on line {e.lineno}")
        if func.attr in ("write", "writelines", "flush", "add_scalar", "log_metric", "put", "send"):
            self.found.sites.add(e.lineno)
        return HOST

    def _own(self, function: FunctionNode, e: ast.Call, value: State) -> State:
        if function in self.active or len(self.active) > 4:
            self.refuse(f"calls `{function.name}` on line {e.lineno}, which is not followed")
            return value
        names = [a.arg for a in [*function.args.posonlyargs, *function.args.args]]
        if (
            any(isinstance(a, ast.Starred) for a in e.args)
            or any(k.arg is None for k in e.keywords)
            or len(e.args) > len(names)
        ):
            if value.tensor:
                self.refuse(f"unpacks what it hands to `{function.name}` on line {e.lineno}")
            return HOST
        bound = {**dict(zip(names, e.args, strict=False)), **{k.arg: k.value for k in e.keywords if k.arg}}
        inner = reading(function, frozenset(n for n, a in bound.items() if self._of(a).tensor), self.facts, self.active)
        if inner.refusal is not None:
            self.refuse(f"calls `{function.name}`: {inner.refusal.reason}")
        self.found.sites |= inner.sites
        self.found.reads |= inner.reads
        self.found.computes |= inner.computes
        return inner.result
