"""Python's scopes, bindings and parents of one tree, gathered in a single walk. `names.py` asks it questions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from ..trees import children

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

_STORE_KINDS = {
    "Assign": "assign",
    "AugAssign": "augment",
    "For": "for",
    "AsyncFor": "for",
    "withitem": "with",
    "comprehension": "comprehension",
    "NamedExpr": "walrus",
    "TypeAlias": "type",
    "Delete": "del",
}


@dataclass(eq=False, slots=True)
class Scope:
    """One scope: a module, class, function, lambda, comprehension, or the type parameters of a definition.

    Attributes:
        node: the node that opens the scope.
        kind: "module", "class", "function", "lambda", "comprehension" or "type".
        parent: the scope around it in the text; None for the module.
        path: the dotted way from the module, as in `__qualname__`: "Policy.forward.<locals>"; "" for the module.
        sites: where each name of the scope is bound, in textual order.
        reads: names that code directly in this scope reads.
    """

    node: ast.AST
    kind: str
    parent: Scope | None
    path: str
    sites: dict[str, list[Site]] = field(default_factory=dict)
    reads: set[str] = field(default_factory=set)
    globals: set[str] = field(default_factory=set)
    nonlocals: set[str] = field(default_factory=set)
    children: list[Scope] = field(default_factory=list)

    def below(self) -> Iterator[Scope]:
        """Every scope inside this one, without itself."""
        pending = list(self.children)
        while pending:
            scope = pending.pop()
            yield scope
            pending.extend(scope.children)


@dataclass(frozen=True, slots=True, eq=False)
class Site:
    """One place that binds a name.

    `kind` is one of import, def, class, assign, annotation (no value), augment, for, with, except, match, walrus,
    comprehension, param, typeparam, type, del. `node` is the Name, arg, alias, definition, handler or pattern. `target`
    is what an import means, dotted: "torch.nn.functional"; "<..>.utils.logging" for `from ..utils import logging`.
    """

    name: str
    kind: str
    node: ast.AST
    scope: Scope
    target: str = ""


class Walk:
    """The scopes of a tree. Linear in its size; no recursion, so that deep expressions are no danger.

    Attributes:
        module: the outermost scope.
        parents: the parent of every node but the root, operators and contexts.
        scopes: the scope in which each node is evaluated; a definition's own node belongs to the scope around it.
        opened: the scope that a module, class, function, lambda or comprehension opens.
        stars: `from … import *` statements.
        stores: attributes that are assigned to or deleted.
        annotations: the roots of annotations.
        definitions: the functions and classes by path, "Policy.forward".
    """

    def __init__(self, tree: ast.Module) -> None:
        self.module = Scope(tree, "module", None, "")
        self.parents: dict[ast.AST, ast.AST] = {}
        self.scopes: dict[ast.AST, Scope] = {}
        self.opened: dict[ast.AST, Scope] = {tree: self.module}
        self.stars: list[ast.ImportFrom] = []
        self.stores: list[ast.Attribute] = []
        self.annotations: set[ast.AST] = set()
        self.definitions: dict[str, list[Definition]] = {}
        self._outward: list[Site] = []
        stack: list[tuple[ast.AST, Scope]] = [(tree, self.module)]
        parents, scopes = self.parents, self.scopes
        while stack:
            node, scope = stack.pop()
            scopes[node] = scope
            handler = _HANDLERS.get(type(node))
            inner = handler(self, node, scope) if handler else [(child, scope) for child in children(node)]
            if inner:
                for child, _ in inner:
                    parents[child] = node
                inner.reverse()
                stack += inner
        self._settle_nonlocals()

    def lookup(self, scope: Scope, name: str) -> Scope | None:
        """The scope whose binding `name` means when it is read in `scope`; None for a builtin or an unknown name."""
        here: Scope | None = scope
        class_visible = True
        while here is not None:
            if name in here.globals:
                break
            if name in here.sites and name not in here.nonlocals and (here.kind != "class" or class_visible):
                return here
            class_visible = class_visible and here.kind == "type"
            here = here.parent
        return self.module if name in self.module.sites else None

    def _open(self, node: ast.AST, kind: str, parent: Scope, path: str) -> Scope:
        scope = Scope(node, kind, parent, path)
        parent.children.append(scope)
        if kind != "type":
            self.opened[node] = scope
        return scope

    def _bind(self, scope: Scope, name: str, kind: str, node: ast.AST, target: str = "") -> None:
        # An assignment expression in a comprehension binds in the scope around all comprehensions.
        while kind == "walrus" and scope.kind == "comprehension" and scope.parent is not None:
            scope = scope.parent
        if name in scope.globals:
            scope = self.module
        site = Site(name, kind, node, scope, target)
        if name in scope.nonlocals:
            self._outward.append(site)
        else:
            scope.sites.setdefault(name, []).append(site)

    def _settle_nonlocals(self) -> None:
        """Hand bindings under `nonlocal` to the function that owns the name; it may bind it further down the text."""
        for site in self._outward:
            home = self.lookup(site.scope, site.name)
            if home is not None and home is not self.module:
                home.sites[site.name].append(Site(site.name, site.kind, site.node, home, site.target))

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope) -> list[tuple[ast.AST, Scope]]:
        self._bind(scope, node.name, "def", node)
        path = f"{scope.path}.{node.name}".lstrip(".")
        self.definitions.setdefault(path, []).append(node)
        types, inner = self._type_scope(node, scope)
        own = self._open(node, "function", types, f"{path}.<locals>")
        outer: list[tuple[ast.AST, Scope]] = [(d, scope) for d in node.decorator_list]
        if node.returns is not None:
            self.annotations.add(node.returns)
            inner.append((node.returns, types))
        return [*outer, *inner, (node.args, own), *((s, own) for s in node.body)]

    def _lambda(self, node: ast.Lambda, scope: Scope) -> list[tuple[ast.AST, Scope]]:
        own = self._open(node, "lambda", scope, f"{scope.path}.<lambda>.<locals>".lstrip("."))
        return [(node.args, own), (node.body, own)]

    def _arguments(self, node: ast.arguments, own: Scope) -> list[tuple[ast.AST, Scope]]:
        outer = _parent(own)
        outer = _parent(outer) if outer.kind == "type" else outer
        defaults = [(d, outer) for d in (*node.defaults, *node.kw_defaults) if d is not None]
        named = [*node.posonlyargs, *node.args, node.vararg, *node.kwonlyargs, node.kwarg]
        return [*((a, own) for a in named if a is not None), *defaults]

    def _arg(self, node: ast.arg, own: Scope) -> list[tuple[ast.AST, Scope]]:
        self._bind(own, node.arg, "param", node)
        if node.annotation is None:
            return []
        self.annotations.add(node.annotation)
        return [(node.annotation, _parent(own))]

    def _class(self, node: ast.ClassDef, scope: Scope) -> list[tuple[ast.AST, Scope]]:
        self._bind(scope, node.name, "class", node)
        path = f"{scope.path}.{node.name}".lstrip(".")
        self.definitions.setdefault(path, []).append(node)
        types, inner = self._type_scope(node, scope)
        own = self._open(node, "class", types, path)
        head: list[tuple[ast.AST, Scope]] = [(d, scope) for d in node.decorator_list]
        return [*head, *inner, *((b, types) for b in (*node.bases, *node.keywords)), *((s, own) for s in node.body)]

    def _type_scope(self, node: ast.AST, scope: Scope) -> tuple[Scope, list[tuple[ast.AST, Scope]]]:
        """The scope of `[T]` after a definition's name (`scope` itself where there is none) and its children."""
        parameters: list[ast.AST] = getattr(node, "type_params", [])
        types = self._open(node, "type", scope, scope.path) if parameters else scope
        return types, [(p, types) for p in parameters]

    def _type_alias(self, node: ast.AST, scope: Scope) -> list[tuple[ast.AST, Scope]]:
        types, inner = self._type_scope(node, scope)
        return [(node.name, scope), *inner, (node.value, types)]  # type: ignore[attr-defined]

    def _comprehension(self, node: ast.AST, scope: Scope) -> list[tuple[ast.AST, Scope]]:
        own = self._open(node, "comprehension", scope, scope.path)
        ordered = sorted(children(node), key=lambda child: not isinstance(child, ast.comprehension))
        return [(child, own) for child in ordered]

    def _generator(self, node: ast.comprehension, own: Scope) -> list[tuple[ast.AST, Scope]]:
        # Only the first iterable is evaluated outside of the comprehension.
        first = self.parents[node].generators[0] is node  # type: ignore[attr-defined]
        return [(node.iter, _parent(own) if first else own), (node.target, own), *((test, own) for test in node.ifs)]

    def _name(self, node: ast.Name, scope: Scope) -> list[tuple[ast.AST, Scope]]:
        if type(node.ctx) is ast.Load:
            scope.reads.add(node.id)
            return []
        parent = self.parents[node]
        while isinstance(parent, (ast.Tuple, ast.List, ast.Starred)):
            parent = self.parents[parent]
        if isinstance(parent, ast.AnnAssign):
            self._bind(scope, node.id, "assign" if parent.value else "annotation", node)
        else:
            self._bind(scope, node.id, _STORE_KINDS[type(parent).__name__], node)
        if isinstance(parent, (ast.AugAssign, ast.Delete)):
            scope.reads.add(node.id)
        return []

    def _ann_assign(self, node: ast.AnnAssign, scope: Scope) -> list[tuple[ast.AST, Scope]]:
        self.annotations.add(node.annotation)
        return [(child, scope) for child in children(node)]

    def _attribute(self, node: ast.Attribute, scope: Scope) -> list[tuple[ast.AST, Scope]]:
        if not isinstance(node.ctx, ast.Load):
            self.stores.append(node)
        return [(node.value, scope)]

    def _import(self, node: ast.Import, scope: Scope) -> list[tuple[ast.AST, Scope]]:
        for alias in node.names:
            root = alias.name.partition(".")[0]
            self._bind(scope, alias.asname or root, "import", alias, alias.name if alias.asname else root)
        return [(alias, scope) for alias in node.names]

    def _import_from(self, node: ast.ImportFrom, scope: Scope) -> list[tuple[ast.AST, Scope]]:
        base = f"<{'.' * node.level}>" if node.level else ""
        base = ".".join(part for part in (base, node.module) if part)
        for alias in node.names:
            if alias.name == "*":
                self.stars.append(node)
            else:
                self._bind(scope, alias.asname or alias.name, "import", alias, f"{base}.{alias.name}")
        return [(alias, scope) for alias in node.names]

    def _named(self, node: ast.AST, scope: Scope) -> list[tuple[ast.AST, Scope]]:
        kind = {"ExceptHandler": "except", "MatchAs": "match", "MatchStar": "match", "MatchMapping": "match"}
        name = node.rest if isinstance(node, ast.MatchMapping) else node.name  # type: ignore[attr-defined]
        if name is not None:
            self._bind(scope, name, kind.get(type(node).__name__, "typeparam"), node)
        return [(child, scope) for child in children(node)]

    def _global(self, node: ast.Global, scope: Scope) -> list[tuple[ast.AST, Scope]]:
        if scope is not self.module:
            scope.globals.update(node.names)
        return []

    def _nonlocal(self, node: ast.Nonlocal, scope: Scope) -> list[tuple[ast.AST, Scope]]:
        scope.nonlocals.update(node.names)
        scope.reads.update(node.names)
        return []


_BY_NAME: dict[str, Callable[..., list[tuple[ast.AST, Scope]]]] = {
    "FunctionDef": Walk._function,
    "AsyncFunctionDef": Walk._function,
    "Lambda": Walk._lambda,
    "arguments": Walk._arguments,
    "arg": Walk._arg,
    "ClassDef": Walk._class,
    "TypeAlias": Walk._type_alias,
    **dict.fromkeys(("ListComp", "SetComp", "DictComp", "GeneratorExp"), Walk._comprehension),
    "comprehension": Walk._generator,
    "Name": Walk._name,
    "AnnAssign": Walk._ann_assign,
    "Attribute": Walk._attribute,
    "Import": Walk._import,
    "ImportFrom": Walk._import_from,
    **dict.fromkeys(("ExceptHandler", "MatchAs", "MatchStar", "MatchMapping"), Walk._named),
    **dict.fromkeys(("TypeVar", "ParamSpec", "TypeVarTuple"), Walk._named),
    "Global": Walk._global,
    "Nonlocal": Walk._nonlocal,
}
# Not every Python has all of these types.
_HANDLERS = {getattr(ast, name): handler for name, handler in _BY_NAME.items() if hasattr(ast, name)}


def _parent(scope: Scope) -> Scope:
    assert scope.parent is not None
    return scope.parent
