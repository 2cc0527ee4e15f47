"""What a file's imports say about its classes: a base class in another file may be an `nn.Module`.

Other files are parsed, never run, and each is summarised once.
"""

from __future__ import annotations

import ast
import functools
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from .signs import ask
from .transforms.facts.classes import is_module_base
from .transforms.model import RuleSettings
from .transforms.smith import names_of
from .transforms.source import Source
from .transforms.trees import walk

_MAX_BYTES = 2 << 20
_MAX_STEPS = 12
# A folder that holds one of these is the top of a project.
_TOPS = (".git", "pyproject.toml", "setup.py")


def with_neighbours(source: Source, settings: RuleSettings, path: str) -> RuleSettings:
    """The settings with what the files beside a source say of its bases and calls, which are asked once for it.

    Args:
        source: the text.
        settings: what else holds.
        path: where the text stands; files beside it are looked at. Empty for none.
    """
    asked = (settings, path)
    known: tuple[object, RuleSettings] | None = getattr(source, "_beside", None)
    if known is None or known[0] != asked:
        known = source._beside = (asked, _with_neighbours(source, settings, path))  # type: ignore[attr-defined]
    return known[1]


def _with_neighbours(source: Source, settings: RuleSettings, path: str) -> RuleSettings:
    if not path or "torch" not in source.text:
        return settings
    from .foreign import returned_elsewhere

    settings = replace(settings, returned=returned_elsewhere(source, Path(path).absolute()))
    if "class " not in source.text:
        return settings
    names = names_of(source)
    classes = names.nodes(ast.ClassDef)
    own = {names.path(node) for node in classes}
    bases = {name for node in classes for base in node.bases if (name := names.qualified(base)) and name not in own}
    foreign = {name for name in bases if "." in name and not name.startswith(("torch.", "builtins.", "typing."))}
    here = Path(path).absolute()
    lines = {name: list(_line(name, here, _MAX_STEPS)) for name in foreign}
    known = frozenset(n for n, line in lines.items() if not is_module_base(n) and any(c.module for c in line))
    inherited = frozenset(attribute for line in lines.values() for c in line for attribute in c.attributes)
    return replace(settings, modules=known, inherited=inherited) if known or inherited else settings


@dataclass(frozen=True)
class Class:
    """A class of a file.

    Attributes:
        bases: its bases, as dotted names.
        attributes: what its body binds.
        module: whether one of the bases is known by name to be a module.
    """

    bases: tuple[str, ...]
    attributes: frozenset[str]
    module: bool


@dataclass(frozen=True)
class Summary:
    """The classes and functions of a file, what its imported names stand for, and modules that it imports all of."""

    classes: Mapping[str, Class] = field(default_factory=dict)
    functions: frozenset[str] = frozenset()
    imports: Mapping[str, str] = field(default_factory=dict)
    stars: tuple[str, ...] = ()


def _line(dotted: str, asking: Path, steps: int) -> Iterator[Class]:
    """A class and those that it derives from, as far as their files are found.

    Args:
        dotted: the class, as the file that asks would spell it.
        asking: that file.
        steps: how far to go.
    """
    if steps == 0 or (is_module_base(dotted) and dotted.startswith("torch.")):
        return
    places = [(asking, dotted)] if "." not in dotted else _places(dotted, asking)
    for file, name in places:
        summary = _summary(file)
        if name in summary.classes:
            own = summary.classes[name]
            yield own
            for base in own.bases:
                yield from _line(base, file, steps - 1)
            return
        if name in summary.imports and file != asking:
            yield from _line(summary.imports[name], file, steps - 1)
            return
        for star in summary.stars if file != asking else ():
            found = list(_line(star + name, file, steps // 3))  # packages import all of each other
            if found:
                yield from found
                return


def home(dotted: str, asking: Path, steps: int = _MAX_STEPS) -> tuple[Path, str] | None:
    """The file that defines a class or function at its top level, and its name there; None where none is found.

    Args:
        dotted: as the file that asks would spell it.
        asking: that file.
        steps: how many imports to follow.
    """
    for file, name in _places(dotted, asking) if steps and "." in dotted else ():
        summary = _summary(file)
        if name in summary.classes or name in summary.functions:
            return file, name
        further = [summary.imports[name]] if name in summary.imports else [star + name for star in summary.stars]
        for other in further:
            found = home(other, file, steps - 1 if name in summary.imports else steps // 3)
            if found is not None:
                return found
    return None


def _places(dotted: str, asking: Path) -> Iterator[tuple[Path, str]]:
    """The files that may hold the class, each with the name it has there."""
    mark, closed, rest = dotted.partition(">.")
    *modules, name = (rest if closed else dotted).split(".")
    for folder in _relative(mark.count("."), asking) if closed else _roots(asking):
        stem = folder.joinpath(*modules)
        for file in (stem.with_name(f"{stem.name}.py") if modules else None, stem / "__init__.py"):
            if file is not None and file != asking and _readable(file):
                yield file, name


def _relative(dots: int, asking: Path) -> list[Path]:
    return [asking.parents[dots - 1]] if dots <= len(asking.parents) else []


def _roots(asking: Path) -> Iterator[Path]:
    """Folders that absolute imports may start from: those above the file, up to the top of the project."""
    for folder in asking.parents:
        yield folder
        if any(ask(folder / top, False) for top in _TOPS):
            yield folder / "src"
            return


def _readable(file: Path) -> bool:
    signs = ask(file, True)
    return isinstance(signs, list) and bool(signs) and stat.S_ISREG(signs[0]) and signs[1] <= _MAX_BYTES


def _summary(file: Path) -> Summary:
    return _read(file, signs_of_file(file))


def signs_of_file(file: Path) -> tuple[int, ...]:
    """What changes when the content of a file does."""
    return tuple(ask(file, True) or ())  # type: ignore[arg-type]


@functools.lru_cache(maxsize=4096)
def _read(file: Path, _signs: tuple[int, ...]) -> Summary:
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return Summary()
    imports: dict[str, str] = {}
    classes: dict[str, ast.ClassDef] = {}
    functions: list[str] = []
    stars: list[str] = []
    for node in _statements(tree.body):
        if isinstance(node, ast.Import):
            for alias in node.names:
                imports[alias.asname or alias.name.partition(".")[0]] = (
                    alias.name if alias.asname else alias.name.partition(".")[0]
                )
        elif isinstance(node, ast.ImportFrom):
            origin = "." * node.level
            prefix = (f"<{origin}>." if origin else "") + (f"{node.module}." if node.module else "")
            imports |= {alias.asname or alias.name: prefix + alias.name for alias in node.names if alias.name != "*"}
            stars += [prefix] if any(alias.name == "*" for alias in node.names) else []
        elif isinstance(node, ast.ClassDef):
            classes[node.name] = node
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            functions.append(node.name)
    found = {name: _class(node, imports, classes) for name, node in classes.items()}
    return Summary(found, frozenset(functions), imports, tuple(stars))


def _class(node: ast.ClassDef, imports: Mapping[str, str], classes: Mapping[str, ast.ClassDef]) -> Class:
    bases = tuple(_through(base, imports, classes) for base in map(_dotted, node.bases) if base)
    names = {n.name for n in node.body if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))}
    names |= {n.attr for n in walk(node) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)}
    return Class(bases, frozenset(names), any(map(is_module_base, bases)))


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a module, also those under `if` and `try`."""
    for node in body:
        yield node
        for name in ("body", "orelse", "finalbody") if isinstance(node, (ast.If, ast.Try)) else ():
            yield from _statements(getattr(node, name, []))
        for handler in node.handlers if isinstance(node, ast.Try) else ():
            yield from _statements(handler.body)


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Subscript):
        return _dotted(node.value)
    if isinstance(node, ast.Attribute):
        inner = _dotted(node.value)
        return f"{inner}.{node.attr}" if inner else ""
    return node.id if isinstance(node, ast.Name) else ""


def _through(base: str, imports: Mapping[str, str], classes: Mapping[str, object]) -> str:
    head, dot, rest = base.partition(".")
    return base if head in classes or head not in imports else imports[head] + dot + rest
