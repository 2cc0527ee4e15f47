"""What recorded runs showed of a function's parameters: kinds, and what varied from call to call."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..model import Evidence, Level
from ..observed import Calls, Seen
from ..trees import walk
from .classes import FunctionNode
from .values import Tag, Value, replace

if TYPE_CHECKING:
    from . import Facts
    from .regions import Region

PLAIN = frozenset({"int", "float", "bool", "str"})
# One call shows nothing of what varies.
_ENOUGH = 2


def calls_of(function: FunctionNode, facts: Facts) -> Calls | None:
    """The recorded calls of a function; of the core of an entry that was split, those of the entry."""
    observed = facts.settings.observed
    if observed is None or facts.names.enclosing_function(function) is not None:
        return None
    prefix, _, name = facts.names.path(function).lstrip(".").rpartition(".")
    names = [".".join(filter(None, (prefix, each))) for each in dict.fromkeys((name, name.removeprefix("_")))]
    return next((found for each in names if (found := observed.calls.get(each)) is not None), None)


def shown_to_vary(function: FunctionNode, facts: Facts) -> Calls | None:
    """The recorded calls of a function, where there are enough of them to tell what varies."""
    calls = calls_of(function, facts)
    return calls if calls is not None and calls.count >= _ENOUGH else None


def as_seen(name: str, found: Value, function: FunctionNode, facts: Facts) -> Value:
    """The value of a parameter, with what recorded calls showed where the source proves nothing."""
    calls = calls_of(function, facts)
    seen = calls.parameters.get(name) if calls is not None else None
    if calls is None or seen is None or (found.tag is not Tag.UNKNOWN and found.level is Level.PROVED):
        return found
    shown = _value(seen, f"it was one in all {calls.count} recorded calls")
    if shown is None or (found.tag is not Tag.UNKNOWN and found.tag is not shown.tag):
        return found
    return replace(shown, optional=found.optional or shown.optional)


def _value(seen: Seen, because: str) -> Value | None:
    kinds = seen.kinds - {"None"}
    if kinds == {"tensor"}:
        return Value(Tag.TENSOR, Level.OBSERVED, because, optional="None" in seen.kinds)
    if len(kinds) == 1 and kinds <= PLAIN and "None" not in seen.kinds:
        return Value(Tag.HOST, Level.OBSERVED, because, detail=next(iter(kinds)))
    return None


def compiled_itself(region: Region, calls: Calls | None) -> Evidence:
    """How it is known that a function is an entry whose numbers vary."""
    if calls is not None and calls.root:
        return Evidence(Level.OBSERVED, f"it was compiled itself, and varied in {calls.count} recorded calls")
    if region.explicit:
        return Evidence(Level.PROVED, "the function is compiled by name")
    return Evidence(Level.ASSUMED, "the function is taken to be compiled")


def varied(site: ast.expr, calls: Calls) -> bool:
    """True where the expression reads a parameter whose value differed."""
    names = {node.id for node in walk(site) if isinstance(node, ast.Name)}
    return any(seen.varies for name, seen in calls.parameters.items() if name in names)
