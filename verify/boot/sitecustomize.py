"""Loads the recorder into a Python process that was started by `refactor trace`, once torch gets that far.

The folder of this file is first on the process's PYTHONPATH, so Python imports it before anything of the user's. It
imports no torch itself: the program's own import of it, at its own time and place, is what sets the recorder up.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

_HERE = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120  # cheaper at every start than pathlib
_PACKAGE = "_refactor_recorder"
_AWAITED = {"torch": "watch_constructions", "torch._dynamo": "watch_dynamo"}
_due: list[str] = []


class _Finder(importlib.abc.MetaPathFinder):
    """Calls the recorder when an awaited module has been executed; takes no part in finding otherwise."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The usual spec of an awaited module, with a loader that tells the recorder."""
        if name not in _AWAITED:
            return None
        others = (finder.find_spec(name, path, target) for finder in list(sys.meta_path) if finder is not self)
        spec = next((spec for spec in others if spec is not None), None)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, name)
        return spec


class _Loader(importlib.abc.Loader):
    def __init__(self, loader: Any, name: str) -> None:
        self._loader, self._name = loader, name

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        """As the usual loader does it."""
        return self._loader.create_module(spec)  # type: ignore[no-any-return]

    def exec_module(self, module: ModuleType) -> None:
        """As the usual loader does it; then the recorder is told."""
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        _due.append(_AWAITED.pop(self._name, ""))
        # Dynamo may be loaded on the way to the end of torch's own import, which the recorder needs.
        if "torch" in _AWAITED:
            return
        try:
            while _due:
                getattr(_recorder(), _due.pop(0))()
        except Exception as error:
            print(f"refactor: nothing is recorded here: {error!r}", file=sys.stderr)  # noqa: T201

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)


def _recorder() -> ModuleType:
    """The recorder, in a package of a private name: the user's Python need not have this tool installed."""
    if _PACKAGE not in sys.modules:
        spec = importlib.machinery.ModuleSpec(_PACKAGE, None, is_package=True)
        spec.submodule_search_locations = [os.path.dirname(_HERE)]  # noqa: PTH120
        sys.modules[_PACKAGE] = importlib.util.module_from_spec(spec)
    return importlib.import_module(f"{_PACKAGE}.recorder")


def _next_sitecustomize() -> None:
    """Run the `sitecustomize` that this one stands before."""
    places = [place for place in sys.path if os.path.abspath(place) != _HERE]  # noqa: PTH100
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", places)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


if os.environ.get("REFACTOR_TRACE"):
    sys.meta_path.insert(0, _Finder())
_next_sitecustomize()
