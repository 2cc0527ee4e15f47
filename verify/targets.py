"""Loads a text as if it stood at the user's path, under a private module name, and builds the callable in it."""

from __future__ import annotations

import ast
import contextlib
import functools
import importlib
import importlib.machinery
import itertools
import linecache
import random
import re
import sys
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from .specs import evaluate

_serial = itertools.count(1)


class TargetError(Exception):
    """A text cannot be loaded, or nothing can be built from it; the message is one line for the user."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a file stands in the import system.

    Attributes:
        path: the file.
        root: the folder that must be on `sys.path`.
        package: dotted name of the package that the file belongs to; empty for a top-level module.
        name: the dotted name under which the user's own code imports the file.
    """

    path: Path
    root: Path
    package: str
    name: str

    @classmethod
    def of(cls, path: str) -> Place:
        """The place of a file: its package is found by walking up while there is an `__init__.py`."""
        file = Path(path).absolute()
        folder = file.parent
        parts: list[str] = []
        while (folder / "__init__.py").is_file():
            parts.insert(0, folder.name)
            folder = folder.parent
        package = ".".join(parts)
        name = package if file.stem == "__init__" else f"{package}.{file.stem}".lstrip(".")
        return cls(file, folder, package, name)


class Target:
    """One of the texts to compare.

    Every `load` executes the text in a module of its own, so that nothing a call left behind (globals, caches,
    default arguments) reaches the next one.

    Args:
        text: the source.
        place: where it is to stand.
        role: `old` or `new`; part of the private names.
        tree: what to compile instead of the text's own tree (an instrumented copy with the same line numbers).
        extra: names that the module holds before it is executed.
    """

    def __init__(
        self, text: str, place: Place, role: str, tree: ast.Module | None = None, extra: dict[str, Any] | None = None
    ) -> None:
        self.text, self.place, self.role = text, place, role
        self._tree, self._extra = tree, dict(extra or {})
        stem = re.sub(r"\W", "_", place.path.stem)
        self._stem = f"{'m' * stem[:1].isdigit()}{stem}__{role}"
        self._code: types.CodeType | None = None

    @property
    def filename(self) -> str:
        """The pseudo file of this text: beside the user's file, so that `__file__` leads to the same folder."""
        return str(self.place.path.with_name(f"{self._stem}.py"))

    @functools.cached_property
    def raising_lines(self) -> frozenset[int]:
        """The lines covered by `raise` and `assert` statements."""
        nodes = [n for n in ast.walk(ast.parse(self.text)) if isinstance(n, (ast.Raise, ast.Assert))]
        return frozenset(line for n in nodes for line in range(n.lineno, (n.end_lineno or n.lineno) + 1))

    def canonical(self, text: str) -> str:
        """`text` with private names turned into the user's and with addresses blanked."""
        text = text.replace(self.filename, str(self.place.path))
        text = re.sub(rf"{re.escape(self._stem)}_\d+\b", self.place.path.stem, text)
        text = re.sub(r"\b0x[0-9a-fA-F]{6,}\b", "0x…", text)
        return re.sub(r"grad_fn=<\w+>", "grad_fn=<…>", text)

    def load(self) -> types.ModuleType:
        """A fresh module of this text; it stays importable until `unload`.

        Raises:
            TargetError: the text does not parse, or its import raises or exits.
        """
        package = self.place.package
        name = f"{package}.{self._stem}_{next(_serial)}".lstrip(".")
        module = types.ModuleType(name)
        spec = importlib.machinery.ModuleSpec(name, None, origin=self.filename)
        if self.place.path.stem == "__init__":
            module.__path__ = spec.submodule_search_locations = [str(self.place.path.parent)]
        module.__spec__, module.__file__ = spec, self.filename
        module.__package__ = package
        module.__dict__.update(self._extra)
        lines = self.text.splitlines(keepends=True)
        # Without a modification time the entry survives linecache.checkcache: inspect and Dynamo read it.
        linecache.cache[self.filename] = (len(self.text), None, lines, self.filename)
        sys.modules[name] = module
        try:
            exec(self._compiled(), module.__dict__)
        except SyntaxError as error:
            self.unload(module)
            raise TargetError(f"{self.speaker}: line {error.lineno}: {error.msg}") from None
        except (Exception, SystemExit) as error:
            self.unload(module)
            raise TargetError(f"{self.speaker} cannot be imported: {self.one_line(error)}") from error
        return module

    def unload(self, module: types.ModuleType) -> None:
        """Take the module out of the import system."""
        sys.modules.pop(module.__name__, None)

    def one_line(self, error: BaseException) -> str:
        """Type and first line of an exception's text."""
        text = self.canonical(str(error)).strip().split("\n")[0]
        return f"{type(error).__name__}: {text}" if text else type(error).__name__

    @property
    def speaker(self) -> str:
        """What messages call this text."""
        return "the original" if self.role == "old" else "the rewrite"

    def _compiled(self) -> types.CodeType:
        if self._code is None:
            tree = self._tree or ast.parse(self.text.removeprefix("\ufeff"), filename=self.filename)
            self._code = compile(tree, self.filename, "exec", dont_inherit=True)
        return self._code


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to get the callable and the calls: `NAME` of the module itself, or `FILE:NAME`."""

    factory: str
    inputs: str

    @property
    def factory_text(self) -> str:
        """The expression of the callable, of a `module` that holds the factory."""
        return f"module.{self.factory.rpartition(':')[2]}()"

    @property
    def inputs_text(self) -> str:
        """The expression of the calls."""
        return f"module.{self.inputs.rpartition(':')[2]}()"

    def build(self, target: Target, module: types.ModuleType) -> Callable[..., Any]:
        """The callable that the factory returns.

        Raises:
            TargetError: there is no such factory, it raises, or it does not build anything of this module.
        """
        made = self._call(self.factory, target, module, "factory")
        if not callable(made):
            raise TargetError(f"factory {self.factory} returned {type(made).__name__}, which cannot be called")
        if ":" in self.factory and not _belongs(made, target.filename):
            raise TargetError(
                f"factory {self.factory} built nothing of {target.place.path.name}: import it there by name"
            )
        return made  # type: ignore[no-any-return]

    def calls(self, target: Target, module: types.ModuleType) -> list[tuple[list[Any], dict[str, Any]]]:
        """The given calls, freshly made.

        Raises:
            TargetError: there is no such function, it raises, or it returns something else than calls.
        """
        made = self._call(self.inputs, target, module, "inputs")
        try:
            return [(list(args), dict(kwargs)) for args, kwargs in made]
        except (TypeError, ValueError):
            raise TargetError(f"inputs {self.inputs} must return a list of (args, kwargs)") from None

    def _call(self, spelled: str, target: Target, module: types.ModuleType, what: str) -> Any:
        file, _, name = spelled.rpartition(":")
        try:
            holder = _load_beside(Path(file), target, module) if file else module
            function = getattr(holder, name, None)
            if function is None:
                raise TargetError(f"{what} {spelled}: there is no {name} in {file or target.place.path.name}")
            return function()
        except (Exception, SystemExit) as error:
            if isinstance(error, TargetError):
                raise
            raise TargetError(f"{what} {spelled} raised {target.one_line(error)}") from error


@dataclass(frozen=True, slots=True)
class FoundRecipe:
    """A callable and calls that were found: expressions in `torch`, `types` and `module` (see `specs`)."""

    factory_text: str
    calls_text: tuple[str, ...]

    @property
    def inputs_text(self) -> str:
        """The expression of the calls."""
        return f"[{', '.join(self.calls_text)}]"

    def build(self, target: Target, module: types.ModuleType) -> Callable[..., Any]:
        """The callable.

        Raises:
            TargetError: it cannot be built.
        """
        try:
            return evaluate(self.factory_text, module)  # type: ignore[no-any-return]
        except (Exception, SystemExit) as error:
            raise TargetError(
                f"{target.speaker} does not build {self.factory_text}: {target.one_line(error)}"
            ) from error

    def calls(self, target: Target, module: types.ModuleType) -> list[tuple[list[Any], dict[str, Any]]]:
        """The calls, freshly made.

        Raises:
            TargetError: an argument cannot be built.
        """
        try:
            made = [evaluate(text, module) for text in self.calls_text]
        except (Exception, SystemExit) as error:
            raise TargetError(f"{target.speaker} does not build the arguments: {target.one_line(error)}") from error
        return [(list(args), dict(kwargs)) for args, kwargs in made]


def seed_everything(seed: int) -> None:
    """Seed torch, numpy and random."""
    forget_devices()
    torch.manual_seed(seed)
    np.random.seed(seed)
    random.seed(seed)


@functools.cache
def forget_devices() -> None:
    """Have `torch.manual_seed` keep no note, with its whole call stack, for each kind of device that is not there.

    It is by far the dearest part of seeding, which the code under test does as well.
    """
    if torch.accelerator.is_available():
        return
    for name in ("cuda", "cuda.random", "xpu", "xpu.random", "mtia"):
        backend = sys.modules.get(f"torch.{name}")
        if backend is not None and hasattr(backend, "_lazy_call"):
            vars(backend)["_lazy_call"] = _note_nothing


def _note_nothing(*_: object, **__: object) -> None: ...


@contextlib.contextmanager
def import_path(*folders: Path) -> Iterator[None]:
    """Put folders first on `sys.path`, for the time of the block."""
    added = [str(folder) for folder in folders]
    sys.path[:0] = added
    try:
        yield
    finally:
        for folder in added:
            with contextlib.suppress(ValueError):
                sys.path.remove(folder)


def owner(function: Callable[..., Any]) -> Any:
    """The object whose state a call may change: of a bound method its object, else the callable itself."""
    return getattr(function, "__self__", function)


def _load_beside(file: Path, target: Target, module: types.ModuleType) -> types.ModuleType:
    """Execute the user's helper file while the target's own name means `module`."""
    place = target.place
    holder = types.ModuleType(f"{file.stem}__helper_{next(_serial)}")
    holder.__file__ = str(file)
    # The package comes first: what it re-exports must stay bound to the file on disk.
    parent = importlib.import_module(place.package) if place.package else None
    with import_path(file.parent), _standing_in(place, parent, module):
        exec(compile(file.read_bytes(), str(file), "exec", dont_inherit=True), holder.__dict__)
    return holder


@contextlib.contextmanager
def _standing_in(place: Place, parent: types.ModuleType | None, module: types.ModuleType) -> Iterator[None]:
    """Let the user's name of the file mean `module`."""
    missing = object()
    saved = sys.modules.get(place.name)
    attribute = vars(parent).get(place.path.stem, missing) if parent else missing
    sys.modules[place.name] = module
    if parent:
        setattr(parent, place.path.stem, module)
    try:
        yield
    finally:
        sys.modules.pop(place.name, None)
        if saved is not None:
            sys.modules[place.name] = saved
        if parent and attribute is missing:
            delattr(parent, place.path.stem)
        elif parent:
            setattr(parent, place.path.stem, attribute)


def _belongs(made: Any, filename: str) -> bool:
    """True where some code of the built callable is that of the text."""
    root = owner(made)
    parts = root.modules() if isinstance(root, torch.nn.Module) else [root]
    classes = [c for part in parts for c in type(part).__mro__]
    functions = [made, *(f for c in classes for f in vars(c).values())]
    codes = [getattr(getattr(f, "__func__", f), "__code__", None) for f in functions]
    return any(code is not None and code.co_filename == filename for code in codes)
