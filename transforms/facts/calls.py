"""Which function of the file a call runs, and who calls a function."""

from __future__ import annotations

import ast
import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..trees import walk
from .classes import ClassInfo, FunctionNode, is_attribute_of

if TYPE_CHECKING:
    from .classes import Classes
    from .names import Names

# Decorators that call the function with what they are given, and return what it returns.
TRANSPARENT = frozenset(
    {"builtins.staticmethod", "builtins.classmethod", "abc.abstractmethod", "typing.final", "typing.override"}
    | {"torch.no_grad", "torch.enable_grad", "torch.inference_mode", "torch.autograd.no_grad", "torch.compile"}
    | {"torch.compiler.disable", "torch._dynamo.disable", "torch._disable_dynamo", "torch._dynamo.decorators.skip"}
    | {"torch.compiler.allow_in_graph", "torch._dynamo.allow_in_graph", "torch._dynamo.optimize"}
    | {"torch.jit.script", "torch.jit.export", "torch.jit.ignore", "torch.jit.unused", "torch.jit.script_method"}
    | {"torch.jit.script_if_tracing", "typing_extensions.override", "typing_extensions.final", "typing.no_type_check"}
)


@dataclass(frozen=True, slots=True)
class Target:
    """The function that a call runs.

    Attributes:
        function: its definition.
        owner: the class it is a method of, None for a plain function.
        bound: True where the first parameter is filled by the call itself (`self`).
        plain: False where something else may run in its place or around it: an unknown decorator, an override in a
            subclass of the file.
        cached: True where nothing but a decorator that keeps results is around it, as `functools.lru_cache` is.
    """

    function: FunctionNode
    owner: ClassInfo | None
    bound: bool
    plain: bool = True
    cached: bool = False

    @property
    def positional(self) -> list[str]:
        """The parameters that positional arguments fill, in order."""
        given = self.function.args
        return [a.arg for a in [*given.posonlyargs, *given.args]][1 if self.bound else 0 :]

    def given(self, call: ast.Call) -> dict[str, ast.expr]:
        """The arguments of a call that unpacks nothing, by parameter."""
        by_place = dict(zip(self.positional, call.args, strict=False))
        return by_place | {k.arg: k.value for k in call.keywords if k.arg}


class Calls:
    """The call graph of one file, as far as names and `__init__` tell."""

    def __init__(self, names: Names, classes: Classes) -> None:
        self._names = names
        self._classes = classes
        self._targets: dict[ast.expr, Target | None] = {}
        self._functions = {names.path(f): f for f in names.functions()}

    def target(self, call: ast.Call) -> Target | None:
        """The function of the file that the call runs, None where it is unknown or elsewhere."""
        return self.resolve(call.func)

    def resolve(self, callee: ast.expr) -> Target | None:
        """The function that calling `callee` runs."""
        if callee not in self._targets:
            self._targets[callee] = self._resolved(callee)
        return self._targets[callee]

    def _resolved(self, callee: ast.expr) -> Target | None:
        path = self._names.qualified(callee)
        if path is not None and path.startswith(".") and (defined := self._defined(path)) is not None:
            return defined
        if isinstance(callee, ast.Attribute):
            info = self.instance(callee.value)
            if info is not None:
                method = info.method(callee.attr)
                if method is not None:
                    return self._method(info, method, callee.value)
                return self._called_instance(callee)
        return self._called_instance(callee)

    def _defined(self, path: str) -> Target | None:
        info = self._classes.by_path.get(path)
        if info is not None:
            init = info.method("__init__")
            return Target(init, info, True, self._bare(init)) if init else None
        function = self._functions.get(path)
        if function is None:
            return None
        return Target(function, self._classes.of_function(function), False, self._bare(function))

    def _method(self, info: ClassInfo, method: FunctionNode, on: ast.expr) -> Target:
        decorators = {self._names.qualified(d) for d in method.decorator_list}
        single = not self._overridden(info, method.name, on)
        bound = "builtins.staticmethod" not in decorators
        return Target(method, info, bound, single and self._bare(method), single and self._cached(method))

    def _bare(self, function: FunctionNode) -> bool:
        """True where all decorators let the function run as it is written."""
        heads = (d.func if isinstance(d, ast.Call) else d for d in function.decorator_list)
        return all((self._names.qualified(h) or "") in TRANSPARENT for h in heads)

    def _cached(self, function: FunctionNode) -> bool:
        """True where all decorators but those that keep results let the function run as it is written."""
        heads = (d.func if isinstance(d, ast.Call) else d for d in function.decorator_list)
        names = [self._names.qualified(h) or "" for h in heads]
        return all(n in TRANSPARENT or "cache" in n.rpartition(".")[2] for n in names)

    def filled(self, call: ast.Call, given: ast.expr) -> str | None:
        """The parameter that an argument of a call fills, None where that is unknown."""
        target = self.target(call)
        if target is None or (given in call.args and any(isinstance(a, ast.Starred) for a in call.args)):
            return None
        return next((name for name, value in target.given(call).items() if value is given), None)

    def _overridden(self, info: ClassInfo, name: str, on: ast.expr) -> bool:
        """True where `self` may be of a subclass of the file with a method of its own, or the method is assigned."""
        if info.is_rebound(name) or info.attribute(name):
            return True
        owner = self._classes.owner(on)
        virtual = isinstance(on, ast.Name) and owner is not None and on.id == owner[1]
        return virtual and any(name in c.methods or name in c.attributes for c in self._classes.subclasses(info))

    def _called_instance(self, callee: ast.expr) -> Target | None:
        """`self.block(x)`, `block(x)`: the `forward` or `__call__` of an instance of a class of the file."""
        info = self.instance(callee)
        if info is None:
            return None
        method = info.method("forward") if info.is_module and not info.method("__call__") else info.method("__call__")
        return Target(method, info, True, self._method(info, method, callee).plain) if method else None

    def instance(self, expr: ast.expr) -> ClassInfo | None:
        """The class of the file that `expr` is an instance of, where one constructor call says so."""
        owner = self._classes.owner(expr)
        if isinstance(expr, ast.Name) and owner and expr.id == owner[1]:
            return owner[0]
        if isinstance(expr, ast.Call):
            return self._classes.by_path.get(self._names.qualified(expr.func) or "")
        if owner and is_attribute_of(expr, owner[1]):
            assert isinstance(expr, ast.Attribute)
            found = {self._constructed(v) for v in self._classes.values(owner[0], expr.attr)}
            if len(found) == 1 and not owner[0].is_rebound(expr.attr):
                return found.pop()
            return None
        if isinstance(expr, ast.Name):
            value = self._names.single_value(expr)
            return self._constructed(value) if value is not None else None
        return None

    def _constructed(self, value: ast.expr) -> ClassInfo | None:
        """The class that `value` constructs; `given or Default()` counts as the default's class."""
        if isinstance(value, ast.BoolOp) and isinstance(value.op, ast.Or):
            value = value.values[-1]
        if isinstance(value, ast.IfExp):
            value = value.body if isinstance(value.body, ast.Call) else value.orelse
        if isinstance(value, ast.Call):
            return self._classes.by_path.get(self._names.qualified(value.func) or "")
        return None

    @functools.cached_property
    def _edges(self) -> tuple[dict[FunctionNode, list[tuple[ast.Call, Target]]], dict[FunctionNode, list[ast.Call]]]:
        outgoing: dict[FunctionNode, list[tuple[ast.Call, Target]]] = {}
        incoming: dict[FunctionNode, list[ast.Call]] = {}
        for call in self._names.nodes(ast.Call):
            target = self.target(call)
            if target is None:
                continue
            incoming.setdefault(target.function, []).append(call)
            home = self._names.enclosing_function(call)
            while home is not None and not isinstance(home, (ast.FunctionDef, ast.AsyncFunctionDef)):
                home = self._names.enclosing_function(home)
            if home is not None:
                outgoing.setdefault(home, []).append((call, target))
        return outgoing, incoming

    def element(self, call: ast.Call) -> Target | None:
        """The `forward` that `layer(x)` runs, where `layer` is the target of a loop over `self.layers`."""
        if not isinstance(call.func, ast.Name):
            return None
        for here in self._names.ancestors(call):
            if isinstance(here, (ast.FunctionDef, ast.AsyncFunctionDef)):
                return None
            if not isinstance(here, ast.For) or not any(
                isinstance(n, ast.Name) and n.id == call.func.id for n in walk(here.target)
            ):
                continue
            wrapped = isinstance(here.iter, ast.Call) and isinstance(here.iter.func, ast.Name)
            held = here.iter.args if isinstance(here.iter, ast.Call) and wrapped else [here.iter]
            infos = [i for h in held if (i := self.elements(h)) is not None]
            method = infos[0].method("forward") if len(infos) == 1 else None
            return self._method(infos[0], method, call.func) if method is not None else None
        return None

    def reaching(self, function: FunctionNode) -> list[ast.Call]:
        """The calls of the file that run the function, those through the target of a loop over layers included."""
        return [*self.callers(function), *self._by_element.get(function, [])]

    @functools.cached_property
    def _by_element(self) -> dict[FunctionNode, list[ast.Call]]:
        found: dict[FunctionNode, list[ast.Call]] = {}
        for call in self._names.nodes(ast.Call):
            target = self.element(call) if self.target(call) is None else None
            if target is not None:
                found.setdefault(target.function, []).append(call)
        return found

    def plain(self, name: str) -> FunctionNode | None:
        """The function of this name at the top level of the file, where nothing else runs in its place."""
        found = self._names.definition(f".{name}")
        if not isinstance(found, ast.FunctionDef) or len(self._names.module_bindings(name)) != 1:
            return None
        return found if self._bare(found) else None

    def callees(self, function: FunctionNode) -> list[tuple[ast.Call, Target]]:
        """The calls in the function (nested lambdas included) that run functions of the file."""
        return self._edges[0].get(function, [])

    def callers(self, function: FunctionNode) -> list[ast.Call]:
        """The calls of the file that run the function."""
        return self._edges[1].get(function, [])

    def elements(self, expr: ast.expr) -> ClassInfo | None:
        """The class whose instances an attribute such as `self.blocks = nn.ModuleList(Block(d) for …)` holds."""
        owner = self._classes.owner(expr)
        if not (owner and is_attribute_of(expr, owner[1])):
            return None
        assert isinstance(expr, ast.Attribute)
        values = owner[0].attribute(expr.attr)
        if len(values) != 1 or owner[0].is_rebound(expr.attr) or not isinstance(values[0], ast.Call):
            return None
        call = values[0]
        if self._names.qualified(call.func) not in ("torch.nn.ModuleList", "torch.nn.Sequential") or not call.args:
            return None
        held = call.args[0]
        inner = (
            [held.elt] if isinstance(held, (ast.GeneratorExp, ast.ListComp)) else getattr(held, "elts", list(call.args))
        )
        found = {self._constructed(v) for v in inner}
        return found.pop() if len(found) == 1 else None
