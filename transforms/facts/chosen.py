"""Rows chosen by a mask and computed by themselves, in the same function or in one that is given their places."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..model import NoFix
from ..trees import named, walk
from .classes import FunctionNode
from .experts import changed_mask, places
from .flow import reads
from .rows import Rows

if TYPE_CHECKING:
    from . import Facts

_LOOPS = (ast.For, ast.While, ast.AsyncFor)


@dataclass(frozen=True, slots=True)
class ChosenRows:
    """`places = torch.where(mask)[0]`, and what is stored in the rows there.

    Attributes:
        statement: the statement that gives the places.
        mask: what it selects by.
        name: of the places.
        function: where they are made.
        owner: the name of `self` where that is a method of a module, else None.
        call: the call that hands them on, and the parameter there; None where the rows are computed here.
        user: the function that computes the rows.
        stored: the values that are stored, each with its target.
    """

    statement: ast.Assign
    mask: ast.expr
    name: str
    function: FunctionNode
    owner: str | None
    call: tuple[ast.Call, str] | None
    user: FunctionNode
    stored: tuple[tuple[ast.Assign, ast.Subscript], ...]


def chosen_rows(statement: ast.Assign, facts: Facts) -> ChosenRows | NoFix | None:
    """The plan for a statement; None where it gives no places of rows, or where it stands in a loop."""
    found = places(statement, facts) if len(statement.targets) == 1 else None
    function = facts.function_of(statement)
    if found is None or not found[2] or function is None:
        return None
    if any(isinstance(n, _LOOPS) for n in facts.names.ancestors(statement)):
        return None
    target = statement.targets[0]
    assert isinstance(target, ast.Name)
    handed = _handed(target.id, statement, function, facts)
    if isinstance(handed, NoFix):
        return handed
    user, place = (function, target.id) if handed is None else (handed[1], handed[2])
    rows = Rows([place], True, facts, evaluating=True)
    refused = next((r for s in _using(user, place, statement) if (r := rows.statement(s)) is not None), None)
    refused = refused or _behind(user, rows)
    if user is function:
        refused = refused or changed_mask(found[1], list(_using(user, place, statement)), facts)
    if refused is None and (not rows.stored or rows.added):
        refused = NoFix("what is computed for the rows is not stored in them")
    if refused is not None:
        return refused
    info = facts.classes.of_function(function)
    owner = facts.flow(function).parameters[0] if info is not None and info.is_module else None
    call = (handed[0], handed[2]) if handed is not None else None
    return ChosenRows(statement, found[1], target.id, function, owner, call, user, tuple(rows.stored))


def _handed(
    name: str, statement: ast.Assign, function: FunctionNode, facts: Facts
) -> tuple[ast.Call, FunctionNode, str] | NoFix | None:
    """The call of a function of the file that is given the places, which are used for nothing else then."""
    loads = [n for n in named(function, name) if isinstance(n.ctx, ast.Load)]
    calls = []
    for load in loads:
        around = facts.names.parent(load)
        call = facts.names.parent(around) if isinstance(around, ast.keyword) else around
        target = facts.calls.target(call) if isinstance(call, ast.Call) else None
        if isinstance(call, ast.Call) and target is not None and target.plain and load is not call.func:
            parameter = next((p for p, a in target.given(call).items() if a is load), None)
            if parameter is not None:
                calls.append((call, target.function, parameter))
    if not calls:
        return None
    if len(loads) > 1 or any(isinstance(a, ast.Starred) for a in calls[0][0].args):
        return NoFix(f"`{name}` is used in another way too, on line {statement.lineno}")
    return calls[0]


def _using(user: FunctionNode, place: str, statement: ast.Assign) -> Iterator[ast.stmt]:
    """The statements of the function that read the places, where they are made apart, and all behind the first."""
    begun = False
    for s in user.body:
        if any(n is statement for n in walk(s)):
            inner = getattr(s, "body", [])
            at = next((i for i, b in enumerate(inner) if b is statement), None)
            yield from inner[at + 1 :] if at is not None else []
            begun = True
        elif begun or place in reads(s):
            begun = True
            yield s


def _behind(user: FunctionNode, rows: Rows) -> NoFix | None:
    """Refuse sizes and rows that are read behind the last store: they are those of all rows while compiling."""
    last = max((s.end_lineno or 0 for s, _ in rows.stored), default=0)
    names = rows.sizes | (rows.rows - set(rows.places))
    for node in walk(user):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names and node.lineno > last:
            return NoFix(f"`{node.id}` is read behind the rows, on line {node.lineno}")
    return None
