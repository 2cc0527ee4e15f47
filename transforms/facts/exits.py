"""Loops that a tensor ends, and what can be done about each."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..model import NoFix
from .clocks import Clock, clock
from .driving import Driver
from .flow import SCOPES

if TYPE_CHECKING:
    from . import Facts

BY_HAND = "bound the number of trips, compute them all, and keep what counts with a mask of what is done"


def exit_of(node: ast.While | ast.If, facts: Facts) -> Clock | Driver | NoFix | None:
    """The cure of a condition on a tensor that ends a loop, or why there is none; None where it ends no loop."""
    if isinstance(node, ast.If) and not (_in_loop(node, facts) and _leaves_loop(node)):
        return None
    if isinstance(node, ast.While):
        counted = clock(node, facts)
        if counted is not None:
            return counted
    function = facts.function_of(node)
    assert function is not None
    driver = facts.drivers.of(function)
    if isinstance(driver, NoFix):
        return NoFix(driver.reason, driver.remedy or BY_HAND)
    return facts.drivers.last(driver)


def _in_loop(node: ast.AST, facts: Facts) -> bool:
    for parent in facts.names.ancestors(node):
        if isinstance(parent, (ast.For, ast.While)):
            return True
        if isinstance(parent, SCOPES):
            return False
    return False


def _leaves_loop(node: ast.If) -> bool:
    """True where an arm ends with a jump out of the loop around it."""
    return any(arm and isinstance(arm[-1], (ast.Break, ast.Return)) for arm in (node.body, node.orelse))
