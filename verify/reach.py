"""What a text defines, what a rewrite changed in it, and which definitions lead there. Reads source text only."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Unit:
    """A function, a method, or the rest of a class (its bases, decorators and plain statements).

    Attributes:
        name: `f`, `C.f`, or `C`.
        node: the definition.
        owner: the class that a method stands in; empty for anything else.
        content: what makes it the same as another: its tree without positions.
        mentions: every name and attribute that it uses.
    """

    name: str
    node: Function | ast.ClassDef
    owner: str = ""
    content: str = ""
    mentions: frozenset[str] = frozenset()

    @property
    def lines(self) -> range:
        """The lines it covers, decorators included."""
        first = min([self.node.lineno, *(item.lineno for item in self.node.decorator_list)])
        return range(first, (self.node.end_lineno or first) + 1)


@dataclass(frozen=True)
class Outline:
    """The definitions of one text.

    Attributes:
        units: by name, in the order of the text.
        statements: the other statements at module level, each with the names that it binds.
    """

    units: dict[str, Unit]
    statements: tuple[tuple[str, frozenset[str]], ...] = ()
    _edges: dict[str, frozenset[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, text: str) -> Outline:
        """The outline of a text.

        Raises:
            SyntaxError: it does not parse.
        """
        units: dict[str, Unit] = {}
        statements = []
        for node in _flattened(ast.parse(text.removeprefix("\ufeff")).body):
            if isinstance(node, ast.ClassDef):
                for item in node.body:
                    if isinstance(item, Function):
                        units[f"{node.name}.{item.name}"] = _unit(f"{node.name}.{item.name}", item, node.name)
                units[node.name] = _rest(node)
            elif isinstance(node, Function):
                units[node.name] = _unit(node.name, node)
            elif not _says_nothing(node):
                statements.append((ast.dump(node), _bound(node)))
        return cls(units, tuple(statements))

    def methods(self, owner: str) -> list[Unit]:
        """The methods of a class."""
        return [unit for unit in self.units.values() if unit.owner == owner]

    def leads_to(self, name: str) -> frozenset[str]:
        """Every unit that running this one may run, itself included; too many rather than too few."""
        if not self._edges:
            self._edges.update((unit.name, self._mentioned(unit)) for unit in self.units.values())
        seen, waiting = {name}, [name]
        while waiting:
            for other in self._edges[waiting.pop()] - seen:
                seen.add(other)
                waiting.append(other)
        return frozenset(seen)

    def _mentioned(self, unit: Unit) -> frozenset[str]:
        found: set[str] = set()
        if unit.owner:
            # An object must be made before its method runs; its class may have bases in the file.
            found |= {unit.owner} | ({f"{unit.owner}.__init__"} & self.units.keys())
        for other in self.units.values():
            last = other.name.rpartition(".")[2]
            if (last in unit.mentions and (not other.owner or last not in _EVERYWHERE)) or (
                other.owner and other.owner in unit.mentions
            ):
                found.add(other.name)
        return frozenset(found - {unit.name})


_EVERYWHERE = frozenset(("__init__", "forward"))


def changed(old: Outline, new: Outline) -> frozenset[str]:
    """The units of the old outline that are not the same in the new one; all of them where that is not clear."""
    different = {
        name for name, unit in old.units.items() if getattr(new.units.get(name), "content", "") != unit.content
    }
    before, after = dict(old.statements), dict(new.statements)
    names: set[str] = set()
    known = set(old.units) | {name for _, bound in old.statements for name in bound}
    for text, bound in old.statements:
        if text not in after:
            if not bound:
                return frozenset(old.units)
            names |= bound
    for text, bound in new.statements:
        names |= bound & known if text not in before else frozenset()
    different |= {unit.name for unit in old.units.values() if unit.mentions & names}
    # A method that only the rewrite has may stand in for an inherited one.
    owners = {unit.owner for name, unit in new.units.items() if name not in old.units and unit.owner in old.units}
    return frozenset(different | {name for name in owners if _overrides(name, old, new)})


def _overrides(owner: str, old: Outline, new: Outline) -> bool:
    known = {unit.name.rpartition(".")[2] for unit in old.units.values()}
    added = {unit.name.rpartition(".")[2] for unit in new.methods(owner)} - {
        unit.name.rpartition(".")[2] for unit in old.methods(owner)
    }
    return any(name.startswith("__") or name in known or name in ("forward", "train") for name in added)


def candidates(outline: Outline) -> list[Unit]:
    """What can be called from outside: functions, `forward` and `__call__`, and the public methods of classes."""
    found = []
    for unit in outline.units.values():
        name = unit.name.rpartition(".")[2]
        if isinstance(unit.node, ast.FunctionDef) and (
            name in ("forward", "__call__") or not (name.startswith("__") and name.endswith("__"))
        ):
            if _is_property(unit.node) or (unit.owner and _is_autograd(outline, unit.owner)):
                continue
            found.append(unit)
    return found


def has_targets(text: str) -> bool:
    """True where a text holds anything that can be called."""
    try:
        return bool(candidates(Outline.of(text)))
    except SyntaxError:
        return False


def _is_property(node: Function) -> bool:
    return any(ast.unparse(item).rpartition(".")[2] in _DESCRIPTORS for item in node.decorator_list)


_DESCRIPTORS = ("property", "setter", "getter", "cached_property", "overload", "abstractmethod")


def _is_autograd(outline: Outline, owner: str) -> bool:
    node = outline.units[owner].node
    bases = [ast.unparse(base) for base in node.bases] if isinstance(node, ast.ClassDef) else []
    return any(base.endswith("Function") for base in bases)


def _flattened(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Definitions under an `if` or a `try` at module level count as definitions too."""
    for node in body:
        inner = [*getattr(node, "body", ()), *getattr(node, "orelse", ()), *getattr(node, "finalbody", ())]
        if isinstance(node, (ast.If, ast.Try)) and any(isinstance(n, (Function, ast.ClassDef)) for n in inner):
            yield from _flattened(inner)
        else:
            yield node


def _says_nothing(node: ast.stmt) -> bool:
    """A docstring, or what only a script does."""
    if isinstance(node, ast.If):
        return "__name__" in ast.unparse(node.test)
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _unit(name: str, node: Function, owner: str = "") -> Unit:
    return Unit(name, node, owner, ast.dump(_bare(node)), _mentions(node))


def _rest(node: ast.ClassDef) -> Unit:
    body = [item for item in node.body if not isinstance(item, Function)]
    rest = ast.ClassDef(**{**dict(ast.iter_fields(node)), "body": body})
    return Unit(node.name, node, "", ast.dump(_bare(rest)), _mentions(rest))


def _bare(node: Function | ast.ClassDef) -> ast.AST:
    """The definition without its docstring, which no caller meets."""
    body = node.body
    first = body[0].value if body and isinstance(body[0], ast.Expr) else None
    if isinstance(first, ast.Constant) and isinstance(first.value, str):
        return type(node)(**{**dict(ast.iter_fields(node)), "body": body[1:]})
    return node


def _mentions(node: ast.AST) -> frozenset[str]:
    names = set()
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            names.add(part.id)
        elif isinstance(part, ast.Attribute):
            names.add(part.attr)
        elif isinstance(part, ast.Constant) and isinstance(part.value, str) and part.value.isidentifier():
            names.add(part.value)
    return frozenset(names)


def _bound(node: ast.stmt) -> frozenset[str]:
    names: set[str] = set()
    for part in ast.walk(node):
        if isinstance(part, ast.alias):
            names.add((part.asname or part.name).partition(".")[0])
        elif isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            names.add(part.id)
    return frozenset(names)
