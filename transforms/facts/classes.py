"""What the classes of the file are made of: bases, methods, and the attributes that `__init__` sets."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeGuard

from ..trees import by_type

if TYPE_CHECKING:
    from .names import Names

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef

MODULE_BASES = frozenset(
    {
        "torch.nn.Module",
        "torch.nn.modules.module.Module",
        "torch.nn.modules.Module",
        "pytorch_lightning.LightningModule",
    }
    | {"lightning.LightningModule", "lightning.pytorch.LightningModule"}
)
# Base classes of other packages that are known to derive from torch.nn.Module.
MODULE_BASE_NAMES = frozenset({"PreTrainedModel", "GradientCheckpointingLayer", "ModelMixin", "LightningModule"})


REGISTERING = frozenset({"register_buffer", "register_parameter", "register_module", "add_module"})


@dataclass(eq=False)
class ClassInfo:
    """A class of the file.

    Attributes:
        bases: the class's bases, resolved to file classes where they are in the file.
        methods: the functions of the class body by name, the last definition wins.
        attributes: `self.NAME = value` in `__init__` (and methods that only `__init__` calls), in order.
        rebound: attributes that other methods, or code outside the class, assign.
        replaced: those of them that are not only updated by `self.NAME += …`.
        is_module: True for a `torch.nn.Module`, also through bases.
    """

    node: ast.ClassDef
    path: str
    base_names: tuple[str | None, ...] = ()
    bases: list[ClassInfo] = field(default_factory=list)
    methods: dict[str, FunctionNode] = field(default_factory=dict)
    attributes: dict[str, list[ast.expr]] = field(default_factory=dict)
    buffers: dict[str, ast.expr] = field(default_factory=dict)
    rebound: set[str] = field(default_factory=set)
    replaced: set[str] = field(default_factory=set)
    is_module: bool = False

    def lineage(self) -> Iterator[ClassInfo]:
        """The class and its bases in the file, nearest first."""
        seen: set[int] = set()
        queue = [self]
        while queue:
            head = queue.pop(0)
            if id(head) not in seen:
                seen.add(id(head))
                yield head
                queue.extend(head.bases)

    def method(self, name: str) -> FunctionNode | None:
        """The method of this name, also an inherited one of the file."""
        return next((c.methods[name] for c in self.lineage() if name in c.methods), None)

    def attribute(self, name: str) -> list[ast.expr]:
        """All values that `__init__` gives the attribute, empty where it sets none."""
        return next((c.attributes[name] for c in self.lineage() if name in c.attributes), [])

    def rebind(self, *names: str, in_place: bool = False) -> None:
        """Note attributes that are assigned after `__init__`, `layer*` for all that begin so."""
        self.rebound.update(names)
        if not in_place:
            self.replaced.update(names)

    def is_rebound(self, name: str) -> bool:
        """True where code other than `__init__` assigns the attribute, or `setattr` may."""
        return _among(name, {r for c in self.lineage() for r in c.rebound})

    def is_replaced(self, name: str) -> bool:
        """The same, without `self.NAME += …`, which leaves a tensor of its dtype and shape."""
        return _among(name, {r for c in self.lineage() for r in c.replaced})

    @property
    def closed(self) -> bool:
        """True where every base is in the file, `object` or `torch.nn.Module` itself."""
        known = MODULE_BASES | {"builtins.object"}
        return all(c is not None or n in known for c, n in self._resolved())

    def _resolved(self) -> list[tuple[ClassInfo | None, str | None]]:
        return [(next((b for b in self.bases if b.path == n), None), n) for n in self.base_names]


def _among(name: str, names: set[str]) -> bool:
    return name in names or any(n.endswith("*") and name.startswith(n[:-1]) for n in names)


def is_module_base(qualified: str | None) -> bool:
    """True for the dotted name of `nn.Module`, and of classes of other packages known to derive from it."""
    if qualified is None:
        return False
    within = qualified.startswith(("torch.nn.", "torchvision.models.")) and qualified[-1:].isalpha()
    if qualified in MODULE_BASES or within:
        return not qualified.startswith(("torch.nn.functional", "torch.nn.Parameter", "torch.nn.init"))
    last = qualified.rpartition(".")[2]
    return last in MODULE_BASE_NAMES and not qualified.startswith(".")


class Classes:
    """The classes of one file."""

    def __init__(self, names: Names, modules: frozenset[str] = frozenset()) -> None:
        self._names = names
        self.by_node: dict[ast.ClassDef, ClassInfo] = {}
        self.by_path: dict[str, ClassInfo] = {}
        self._owners: dict[ast.AST | None, tuple[ClassInfo, str] | None] = {}
        for node in names.nodes(ast.ClassDef):
            bases = [b.value if isinstance(b, ast.Subscript) else b for b in node.bases]  # `Base[T]`
            info = ClassInfo(node, names.path(node), tuple(map(names.qualified, bases)))
            self.by_node[node] = self.by_path[info.path] = info
        for info in self.by_node.values():
            info.bases = [self.by_path[b] for b in info.base_names if b in self.by_path and self.by_path[b] is not info]
            self._read_body(info)
        for info in self.by_node.values():
            info.is_module = any(b in modules or is_module_base(b) for c in info.lineage() for b in c.base_names)
        self._outside_stores()

    def _read_body(self, info: ClassInfo) -> None:
        for statement in info.node.body:
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
                info.methods[statement.name] = statement
            elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and statement.value:
                info.attributes.setdefault(statement.target.id, []).append(statement.value)
                if info.node.decorator_list or "typing.NamedTuple" in info.base_names:
                    info.rebind(statement.target.id)  # the value is a default of the constructor
            elif isinstance(statement, ast.Assign):
                for target in statement.targets:
                    if isinstance(target, ast.Name):
                        info.attributes.setdefault(target.id, []).append(statement.value)
        self._read_methods(info)

    def _read_methods(self, info: ClassInfo) -> None:
        builders = {"__init__", "__post_init__", "setup"}
        for name, method in info.methods.items():
            owner = first_parameter(method)
            if owner is None:
                continue
            updated = {id(n.target) for n in by_type(method).get(ast.AugAssign, ())}
            stores = [n for n in by_type(method).get(ast.Attribute, ()) if isinstance(n.ctx, (ast.Store, ast.Del))]
            replaced = {n.attr for n in stores if id(n) not in updated}
            for attribute, value in attribute_stores(method, owner):
                if name in builders and value is not None:
                    info.attributes.setdefault(attribute, []).append(value)
                else:
                    info.rebind(attribute, in_place=attribute not in replaced and attribute.isidentifier())
            for call in by_type(method).get(ast.Call, ()):
                self._registered(call, owner, info, name in builders)

    def _registered(self, call: ast.Call, owner: str, info: ClassInfo, building: bool) -> None:
        """`self.register_buffer("NAME", …)` and its like."""
        func = call.func
        if not (is_attribute_of(func, owner) and func.attr in REGISTERING):
            return
        given = [*call.args, *(k.value for k in call.keywords if k.arg not in ("name", "persistent"))]
        key = call.args[0] if call.args else next((k.value for k in call.keywords if k.arg == "name"), None)
        value = given[1] if call.args and len(given) > 1 else given[0] if not call.args and given else None
        if not isinstance(key, ast.Constant):
            if not building:
                info.rebind("*")
        elif building and value is not None:
            if func.attr == "register_buffer":
                info.buffers[str(key.value)] = value
            info.attributes.setdefault(str(key.value), []).append(value)
        else:
            info.rebind(str(key.value))

    def _outside_stores(self) -> None:
        """Record `other.attr = …` anywhere in the file for every class that has such an attribute."""
        stored = {
            n.attr
            for n in self._names.nodes(ast.Attribute)
            if isinstance(n.ctx, (ast.Store, ast.Del)) and not self._is_self(n)
        }
        for info in self.by_node.values():
            info.rebind(*stored & (set(info.attributes) | set(info.buffers)))

    def _is_self(self, node: ast.Attribute) -> bool:
        function = self._names.enclosing_function(node)
        return (
            isinstance(node.value, ast.Name)
            and isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef))
            and self._names.enclosing_class(node) is not None
            and node.value.id == first_parameter(function)
        )

    def of_function(self, function: ast.AST) -> ClassInfo | None:
        """The class whose body holds the function directly, else None."""
        parent = self._names.parent(function)
        return self.by_node.get(parent) if isinstance(parent, ast.ClassDef) else None

    def owner(self, node: ast.AST) -> tuple[ClassInfo, str] | None:
        """The class and the name of `self` for code inside a method, nested functions included."""
        function = self._names.enclosing_function(node)
        if function not in self._owners:
            self._owners[function] = self._owner(function)
        return self._owners[function]

    def _owner(self, function: ast.AST | None) -> tuple[ClassInfo, str] | None:
        while function is not None:
            info = self.of_function(function)
            if info is not None:
                name = (
                    first_parameter(function) if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)) else None
                )
                return (info, name) if name else None
            function = self._names.enclosing_function(function)
        return None

    def values(self, info: ClassInfo, name: str) -> list[ast.expr]:
        """All values that `__init__` gives the attribute of an instance of the class or of a subclass in the file."""
        return [*info.attribute(name), *(v for c in self.subclasses(info) for v in c.attributes.get(name, []))]

    def subclasses(self, info: ClassInfo) -> list[ClassInfo]:
        """The classes of the file that derive from `info`."""
        return self._below.get(id(info), [])

    @functools.cached_property
    def _below(self) -> dict[int, list[ClassInfo]]:
        """The classes that derive from each, by its identity, in the order of the file."""
        below: dict[int, list[ClassInfo]] = {}
        for derived in self.by_node.values():
            for info in {id(c): c for c in derived.lineage() if c is not derived}.values():
                below.setdefault(id(info), []).append(derived)
        return below


def first_parameter(function: ast.AST) -> str | None:
    """The name of the first positional parameter of a method, None for a static method."""
    if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return None
    if any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in function.decorator_list):
        return None
    positional = [*function.args.posonlyargs, *function.args.args]
    return positional[0].arg if positional else None


def attribute_stores(function: ast.AST, owner: str) -> Iterator[tuple[str, ast.expr | None]]:
    """Every `owner.NAME` that the function stores, with the value where one expression is it.

    `setattr` gives the name, as far as it is known: `layer*` for `setattr(self, f"layer{i}", …)`, `*` for any.
    """
    values: dict[int, ast.expr] = {}
    nodes = by_type(function)
    for node in nodes.get(ast.Assign, ()):
        for target in node.targets:
            values |= _paired(target, node.value)
    for node in nodes.get(ast.AnnAssign, ()):
        if node.value is not None:
            values[id(node.target)] = node.value
    for node in (*nodes.get(ast.Attribute, ()), *nodes.get(ast.Call, ())):
        if is_attribute_of(node, owner) and isinstance(node.ctx, (ast.Store, ast.Del)):
            if not isinstance(node.ctx, ast.Store) or id(node) in values or not _only_declared(node, function):
                yield node.attr, values.get(id(node))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("setattr", "delattr"):
            on = node.args[0] if node.args else None
            if isinstance(on, ast.Name) and on.id == owner:
                yield _key(node.args[1] if len(node.args) > 1 else None), None


def _paired(target: ast.expr, value: ast.expr) -> dict[int, ast.expr]:
    """The value of each target of an assignment, where it is written out, by the target's id."""
    if isinstance(target, (ast.Tuple, ast.List)):
        given = value.elts if isinstance(value, (ast.Tuple, ast.List)) else []
        if len(given) != len(target.elts) or any(isinstance(v, ast.Starred) for v in [*given, *target.elts]):
            return {}
        found: dict[int, ast.expr] = {}
        for element, part in zip(target.elts, given, strict=True):
            found |= _paired(element, part)
        return found
    return {id(target): value}


def _only_declared(node: ast.Attribute, function: ast.AST) -> bool:
    """True for the target of `self.x: Tensor`, which assigns nothing."""
    return any(n.target is node and n.value is None for n in by_type(function).get(ast.AnnAssign, ()))


def _key(name: ast.expr | None) -> str:
    if isinstance(name, ast.JoinedStr) and name.values and isinstance(name.values[0], ast.Constant):
        return f"{name.values[0].value!s}*"
    return str(name.value) if isinstance(name, ast.Constant) else "*"


def is_attribute_of(node: ast.AST | None, owner: str) -> TypeGuard[ast.Attribute]:
    """True for `owner.NAME`."""
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == owner
