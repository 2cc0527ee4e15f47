"""What does this name mean at this place: imports, scopes, shadowing.

Absolute names are written as Python writes them, `torch.nn.Linear` and `builtins.print`. A name that the file itself
defines is written with a leading dot and its way through classes and functions: `.Policy.forward`, `.LIMIT`,
`.make.<locals>.step`. A relative import keeps its dots in brackets: `<..>.utils.logging`.
"""

from __future__ import annotations

import ast
import builtins
import functools
import keyword
from collections.abc import Container, Iterator
from dataclasses import dataclass
from typing import TypeVar

from ..source import Source
from ..trees import walk
from .scopes import Definition, FunctionNode, Scope, Site, Walk

# Module attributes such as `__name__` are set before the file runs, so `dir(builtins)` names the wrong ones.
_BUILTINS = frozenset(name for name in dir(builtins) if not name.startswith("_")) | {"__import__", "__debug__"}
_ALIAS_DEPTH = 30

Function = FunctionNode
Node = TypeVar("Node", bound=ast.AST)


@dataclass(frozen=True, slots=True)
class Binding:
    """What a name is bound to where it is read.

    Attributes:
        name: the name itself.
        kind: as in `Site.kind`; "mixed" where several sites differ in it.
        sites: every place that binds it, in textual order.
        statements: the statements of the sites; for a parameter, the function or the statement that holds the lambda.
        scope: the scope that owns the name.
    """

    name: str
    kind: str
    sites: tuple[Site, ...]
    statements: tuple[ast.stmt, ...]
    scope: Scope

    @property
    def single(self) -> bool:
        """True where exactly one place binds the name; a loop may still run it several times."""
        return len(self.sites) == 1

    @property
    def value(self) -> ast.expr | None:
        """The expression of a single plain assignment `name = expression`, else None."""
        if not self.single or not isinstance(statement := self.statements[0], (ast.Assign, ast.AnnAssign)):
            return None
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        return statement.value if any(self.sites[0].node is target for target in targets) else None


class Names:
    """The meaning of every name of one source. The tree is walked once; answers are found when asked for."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.walk = Walk(source.tree)
        self._targets: dict[tuple[Scope, str, bool], str | None] = {}
        self._bindings: dict[tuple[Scope, str], Binding] = {}
        self._meanings: dict[ast.expr, str | None] = {}
        self._active: list[tuple[Scope, str, bool]] = []

    # The tree.

    def parent(self, node: ast.AST) -> ast.AST | None:
        """The node around `node`; None for the module."""
        return self.walk.parents.get(node)

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around `node`, innermost first; none for a node that is not of the tree."""
        around = self.walk.parents.get(node)
        while around is not None:
            yield around
            around = self.walk.parents.get(around)

    def scope_of(self, node: ast.AST) -> Scope:
        """The scope in which `node` is evaluated; for a definition, the one around it (see `opened` for its own)."""
        return self.walk.scopes[node]

    def opened(self, node: ast.AST) -> Scope:
        """The scope that a module, class, function, lambda or comprehension opens. Raises KeyError for other nodes."""
        return self.walk.opened[node]

    def statement_of(self, node: ast.AST) -> ast.stmt:
        """The innermost statement that is or holds `node`. Raises ValueError for the module."""
        here: ast.AST | None = node
        while here is not None and not isinstance(here, ast.stmt):
            here = self.parent(here)
        if here is None:
            raise ValueError("the module is in no statement")
        return here

    def enclosing_function(self, node: ast.AST) -> Function | None:
        """The function or lambda whose call evaluates `node`; for a default or decorator, the one around."""
        scope: Scope | None = self.scope_of(node)
        while scope is not None and not isinstance(scope.node, FunctionNode):
            scope = scope.parent
        return scope.node if scope is not None and isinstance(scope.node, FunctionNode) else None

    def enclosing_class(self, node: ast.AST) -> ast.ClassDef | None:
        """The nearest class whose body or methods hold `node`."""
        scope: Scope | None = self.scope_of(node)
        while scope is not None and not (scope.kind == "class" and isinstance(scope.node, ast.ClassDef)):
            scope = scope.parent
        return scope.node if scope is not None and isinstance(scope.node, ast.ClassDef) else None

    def in_annotation(self, node: ast.AST) -> bool:
        """True inside of an annotation of a parameter, variable or result."""
        return node in self._annotated

    @functools.cached_property
    def _annotated(self) -> set[ast.AST]:
        return {node for root in self.walk.annotations for node in walk(root)}

    def nodes(self, kind: type[Node]) -> list[Node]:
        """All nodes of one type, in textual order; not of its subclasses."""
        return self._by_type.get(kind, [])  # type: ignore[return-value]

    def named(self, name: str) -> list[ast.Name]:
        """All `Name` nodes that spell the name, in textual order."""
        return self._by_name.get(name, [])

    @functools.cached_property
    def _by_name(self) -> dict[str, list[ast.Name]]:
        found: dict[str, list[ast.Name]] = {}
        for node in self.nodes(ast.Name):
            found.setdefault(node.id, []).append(node)
        return found

    def functions(self) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
        """All `def` and `async def` of the file, methods and nested ones included, outer ones first."""
        return [n for n in self.walk.opened if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))]

    def path(self, definition: Definition) -> str:
        """The name of a definition in this file, `.Policy.forward`, as `qualified` gives it for a certain one."""
        around = self.scope_of(definition).path
        return f".{around}.{definition.name}" if around else f".{definition.name}"

    @functools.cached_property
    def _by_type(self) -> dict[type[ast.AST], list[ast.AST]]:
        found: dict[type[ast.AST], list[ast.AST]] = {}
        for node in self.walk.scopes:
            found.setdefault(type(node), []).append(node)
        return found

    # Meaning.

    def qualified(self, expression: ast.expr) -> str | None:
        """The dotted name that a name or attribute chain certainly has (see the module's docstring), else None.

        None for parameters, local values, attributes of them, names with several bindings that do not agree, and
        unknown names after a star import. Simple aliases (`relu = F.relu`) are followed. Imports under
        `if TYPE_CHECKING` count in annotations alone. None also where the file assigns to the attribute
        (`torch.where = mine`).
        """
        if self._active:
            return self._qualified(expression)  # an alias that leads to itself means nothing, but only on its own way
        if expression not in self._meanings:
            self._meanings[expression] = self._qualified(expression)
        return self._meanings[expression]

    def _qualified(self, expression: ast.expr) -> str | None:
        attributes: list[ast.Attribute] = []
        root = expression
        while isinstance(root, ast.Attribute):
            attributes.append(root)
            root = root.value
        if not isinstance(root, ast.Name):
            return None
        path = [root.id, *(a.attr for a in reversed(attributes))]
        return self._path(path, root, self.in_annotation(root), self._patched if attributes else frozenset())

    def resolve(self, dotted: str, at: ast.AST, annotation: bool = False) -> str | None:
        """What the text `dotted` would mean as an expression at the place of `at`; otherwise as `qualified`."""
        return self._path(dotted.split("."), at, annotation, self._patched)

    def binding(self, name: ast.Name | ast.arg) -> Binding | None:
        """Where the name is bound; None for builtins and names that nothing in the file binds."""
        text = name.id if isinstance(name, ast.Name) else name.arg
        home = self.walk.lookup(self.scope_of(name), text)
        if home is None:
            return None
        if (home, text) not in self._bindings:
            sites = tuple(home.sites[text])
            kinds = {site.kind for site in sites}
            statements = tuple(self.statement_of(site.node) for site in sites)
            self._bindings[home, text] = Binding(
                text, kinds.pop() if len(kinds) == 1 else "mixed", sites, statements, home
            )
        return self._bindings[home, text]

    def single_value(self, name: ast.Name) -> ast.expr | None:
        """The expression of the only assignment to the name, `name = expression`; None where there is another site."""
        binding = self.binding(name)
        return binding.value if binding else None

    def definition(self, qualified: str) -> Definition | None:
        """The function or class of this file that `qualified` named so; None where there are none or several."""
        found = [node for node in self.walk.definitions.get(qualified[1:], ()) if not _is_overload(node)]
        if len(found) != 1 or not qualified.startswith("."):
            return None
        return found[0]

    def module_bindings(self, name: str) -> list[ast.stmt]:
        """The statements that bind a module-level name, also through `global`, in textual order."""
        return [self.statement_of(site.node) for site in self.walk.module.sites.get(name, ())]

    def bound_in(self, function: ast.AST) -> set[str]:
        """The names that belong to a function, lambda, class, comprehension or module: parameters and locals."""
        return set(self.opened(function).sites)

    def captures(self, function: ast.AST) -> set[str]:
        """The names of `function` that functions, lambdas, comprehensions and classes inside of it read or rebind."""
        own = self.opened(function)
        return {name for inner in own.below() for name in inner.reads if self.walk.lookup(inner, name) is own}

    # Fresh names.

    def all_identifiers(self) -> set[str]:
        """Every identifier of the file: names, attributes, keywords, imports, and strings that could be one."""
        return set(self._identifiers)

    def fresh(self, base: str, taken: Container[str] = ()) -> str:
        """`base`, or `base_2`, `base_3` …, whichever is the first that the file, Python and `taken` do not use."""
        name, count = base, 1
        while name in self._identifiers or name in taken or name in _BUILTINS or keyword.iskeyword(name):
            count += 1
            name = f"{base}_{count}"
        return name

    @functools.cached_property
    def _identifiers(self) -> frozenset[str]:
        found: set[str] = set()
        for node in self.walk.scopes:
            for _, value in ast.iter_fields(node):
                for text in value if isinstance(value, list) else (value,):
                    if isinstance(text, str):
                        found.update(part for part in text.split(".") if part.isidentifier())
        return frozenset(found)

    @functools.cached_property
    def _patched(self) -> frozenset[str]:
        """The dotted names of attributes that the file assigns to or deletes."""
        found: set[str] = set()
        for store in self.walk.stores:
            path, root = [store.attr], store.value
            while isinstance(root, ast.Attribute):
                path.append(root.attr)
                root = root.value
            if isinstance(root, ast.Name):
                target = self._path([root.id, *reversed(path)], root, False, frozenset())
                found.update([target] if target else [])
        return frozenset(found)

    def _path(self, path: list[str], at: ast.AST, annotation: bool, patched: frozenset[str]) -> str | None:
        target = self._name(path[0], at, annotation)
        for attribute in path[1:]:
            target = self._attribute(target, attribute) if target else None
            if target in patched:
                return None
        return target

    def _attribute(self, base: str, name: str) -> str | None:
        owner = self.definition(base) if base.startswith(".") else None
        if isinstance(owner, ast.ClassDef):
            scope = self.opened(owner)
            if name in scope.sites:
                return self._target(scope, name, False)
        return f"{base}.{name}"

    def _name(self, name: str, at: ast.AST, annotation: bool) -> str | None:
        scope = self.scope_of(at)
        if name.startswith("__") and not name.endswith("__") and self.enclosing_class(at) is not None:
            return None  # the compiler mangles it
        home = self.walk.lookup(scope, name)
        if home is None:
            stars = any(annotation or not self._type_only(star) for star in self.walk.stars)
            return f"builtins.{name}" if name in _BUILTINS and not stars else None
        # Before its binding, or without it, such a name means another thing instead of being an error.
        falls_through = home.kind == "class" or (home.kind == "module" and name in _BUILTINS)
        if falls_through and not self._settled(home.sites[name], at, ordered=_runs_in(scope) is home):
            return None
        return self._target(home, name, annotation)

    def _settled(self, sites: list[Site], at: ast.AST, ordered: bool) -> bool:
        """True where one unconditional statement binds the name, before `at` when both run in the same scope."""
        statement = self.statement_of(sites[0].node)
        if len(sites) != 1 or self.parent(statement) is not sites[0].scope.node:
            return False
        return not ordered or _position(at) > (statement.end_lineno or 0, statement.end_col_offset or 0)

    def _target(self, home: Scope, name: str, annotation: bool) -> str | None:
        key = home, name, annotation
        if key not in self._targets:
            if key in self._active or len(self._active) > _ALIAS_DEPTH:
                return None
            self._active.append(key)
            try:
                self._targets[key] = self._common_target(home, name, annotation)
            finally:
                self._active.pop()
        return self._targets[key]

    def _common_target(self, home: Scope, name: str, annotation: bool) -> str | None:
        sites = [s for s in home.sites[name] if s.kind != "annotation" and not _is_overload(s.node)]
        hidden = [s for s in sites if self._type_only(s.node)]
        sites = hidden if annotation and hidden else [s for s in sites if s not in hidden]
        if home.kind == "module" and any(self._may_replace(star, sites) for star in self.walk.stars):
            return None
        targets = {self._site_target(site, alone=len(sites) == 1) for site in sites}
        return targets.pop() if len(targets) == 1 else None

    def _may_replace(self, star: ast.ImportFrom, sites: list[Site]) -> bool:
        # No module exports another `torch`, but it may well export another `where`, and what the file defines.
        roots = all(isinstance(self.parent(site.node), ast.Import) for site in sites)
        return not roots and not self._type_only(star) and any(_position(site.node) < _position(star) for site in sites)

    def _site_target(self, site: Site, alone: bool) -> str | None:
        own = f".{site.scope.path}.{site.name}" if site.scope.path else f".{site.name}"
        if site.kind == "import":
            return site.target
        if site.kind in ("def", "class"):
            return own if alone else None
        if site.kind == "type":
            return own if alone and site.scope.kind in ("module", "class") else None
        if site.kind != "assign":
            return None
        parent = self.parent(site.node)
        value = parent.value if isinstance(parent, (ast.Assign, ast.AnnAssign)) else None
        target = self.qualified(value) if isinstance(value, (ast.Name, ast.Attribute)) else None
        # A value of this file may change after it was copied; a function or class of it does not.
        if target and (not target.startswith(".") or self.definition(target)):
            return target
        return own if alone and site.scope.kind in ("module", "class") else None

    def _type_only(self, node: ast.AST) -> bool:
        """True under `if TYPE_CHECKING`, within the same scope."""
        child, parent = node, self.parent(node)
        while parent is not None and parent not in self.walk.opened:
            if isinstance(parent, ast.If) and (side := _type_checking(parent)) and any(child is s for s in side):
                return True
            child, parent = parent, self.parent(parent)
        return False


def _type_checking(node: ast.If) -> list[ast.stmt]:
    """The statements of an `if` that only type checkers see."""
    test, side = node.test, node.body
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, side = test.operand, node.orelse
    name = test.id if isinstance(test, ast.Name) else test.attr if isinstance(test, ast.Attribute) else ""
    return side if name == "TYPE_CHECKING" else []


def _runs_in(scope: Scope) -> Scope:
    while scope.kind in ("type", "comprehension") and scope.parent is not None:
        scope = scope.parent
    return scope


def _is_overload(node: ast.AST) -> bool:
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    return any("overload" in (getattr(d, "attr", ""), getattr(d, "id", "")) for d in node.decorator_list)


def _position(node: ast.AST) -> tuple[int, int]:
    return node.lineno, node.col_offset  # type: ignore[attr-defined]


__all__ = ["Binding", "Definition", "Function", "Names", "Scope", "Site"]
