"""Imports inside of functions that may fail, and what catches the failure."""

from __future__ import annotations

import ast
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import Facts

Import = ast.Import | ast.ImportFrom
CATCHING = frozenset({"builtins.ImportError", "builtins.Exception", "builtins.BaseException"})


def words(s: Import) -> list[str]:
    """The module, and the names that are taken from it."""
    if isinstance(s, ast.ImportFrom):
        return [str(s.module), *(a.name for a in s.names if a.name != "*")]
    return [s.names[0].name]


def foreign(s: Import) -> bool:
    """True for one module, neither of the standard library nor torch."""
    known = {*sys.stdlib_module_names, "torch", "numpy"}
    return (isinstance(s, ast.ImportFrom) or len(s.names) == 1) and words(s)[0].partition(".")[0] not in known


def caught(handler: ast.ExceptHandler, facts: Facts) -> set[str]:
    """The exceptions of a failing import that the handler takes."""
    if handler.type is None:
        return {"builtins.BaseException"}
    types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return {facts.names.qualified(t) or "" for t in types} & (CATCHING | {"builtins.ModuleNotFoundError"})


def asked(node: ast.Try, facts: Facts) -> bool:
    """True where a statement of the body asks already what the compiler will meet."""
    return any(isinstance(s, ast.If) and facts.regions.left_alone(s.body[0]) for s in node.body)
