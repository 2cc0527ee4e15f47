"""Code that runs once per trip: loops, comprehensions, and functions that only loops call; and the cure of each."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..model import NoFix
from .breaks import Break
from .driving import Driver
from .extraction import Extraction
from .flow import COMPREHENSIONS, walk_scope
from .loops import Unrolling, cure, evaluated, first_values

if TYPE_CHECKING:
    from . import Facts

Cure = Unrolling | Extraction | Driver


def cured(node: ast.AST, facts: Facts) -> tuple[list[Break], Cure | NoFix | None]:
    """The breaks that stay in each trip, and their cure; None where there is nothing to cure."""
    if isinstance(node, (ast.For, ast.While)):
        stays = facts.breaks.remaining(evaluated(node), first_values(node, facts))
        if isinstance(node, ast.For) and not stays and (met := facts.breaks.iterating(node.iter)):
            function = facts.function_of(node)
            assert function is not None
            return met, _driven(function, facts)
        return stays, cure(node, facts) if stays else None
    if isinstance(node, ast.FunctionDef):
        stays = facts.breaks.remaining(node.body) if _only_repeated(node, facts) else []
        return stays, _driven(node, facts, alone=True) if stays else None
    function = facts.function_of(node)
    assert function is not None
    parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]  # type: ignore[attr-defined]
    stays = facts.breaks.remaining(parts)
    return stays, _driven(function, facts) if stays else None


def _driven(function: ast.FunctionDef | ast.AsyncFunctionDef, facts: Facts, alone: bool = False) -> Driver | NoFix:
    driver = facts.drivers.of(function, alone)
    return driver if isinstance(driver, NoFix) else facts.drivers.last(driver)


def _only_repeated(function: ast.FunctionDef, facts: Facts) -> bool:
    """True for a function without loops that nothing but loops call which run in Python."""
    calls = facts.calls.callers(function)
    for call in calls:
        home = facts.function_of(call)
        looped = any(isinstance(a, (ast.For, ast.While, *COMPREHENSIONS)) for a in facts.names.ancestors(call))
        if home is None or not looped or not facts.regions.skipped_alone(home):
            return False
    return bool(calls) and not any(isinstance(n, (ast.For, ast.While)) for n in walk_scope(*function.body))
