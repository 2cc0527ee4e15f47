"""Which bindings of a local a use may see, by their places."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from .flow import COMPREHENSIONS

if TYPE_CHECKING:
    from . import Facts

_LOOPS = (ast.For, ast.While, ast.AsyncFor, *COMPREHENSIONS)


def sees(load: ast.Name, bindings: Iterable[ast.Name], facts: Facts) -> bool:
    """True where the name may hold what one of the bindings gave it: that stands before, or in a loop around both."""
    around = {id(n) for n in facts.names.ancestors(load) if isinstance(n, _LOOPS)}
    for node in bindings:
        if (node.lineno, node.col_offset) < (load.lineno, load.col_offset):
            return True
        if any(id(n) in around for n in facts.names.ancestors(node) if isinstance(n, _LOOPS)):
            return True
    return False
