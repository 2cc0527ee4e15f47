"""Text that computes all rows while compiling, and keeps those that a mask chooses."""

from __future__ import annotations

import ast

from ..facts.chosen import ChosenRows
from ..model import Edit, Fix, NoFix, Safety
from .bench import Bench
from .signature import argument, parameter

CHANGES = (
    "gradient: in compiled code parameters that only chosen rows use get zeros where they had None, NaN of other rows",
    "float order: in compiled code all rows are computed, which may round them in another way",
)


def chosen_fix(plan: ChosenRows, bench: Bench) -> Fix | NoFix:
    """The places of all rows, with the mask beside them, and what was there where it does not choose."""
    if not bench.alone([plan.statement]):
        return NoFix("it shares its line with another statement")
    margin = bench.source.margin(plan.statement)
    mask = bench.facts.names.fresh(f"{plan.name}_mask")
    whole = f", not {plan.owner}.training" if plan.owner else ""
    edits: list[Edit] = [
        bench.insert_before(plan.statement, f"{margin}{mask} = {bench.text(plan.mask)}"),
        bench.swap(plan.statement.value, f"{bench.helper('_rows')}({mask}{whole})"),
    ]
    first = _first(plan)
    if first is not None:
        edits.append(bench.insert_before(first, f"{bench.source.margin(first)}{mask} = None"))
    given = mask
    if plan.call is not None:
        call, name = plan.call
        given = bench.facts.names.fresh(f"{name}_mask")
        for edit in (parameter(plan.user, f"{given}=None", bench), argument(call, f"{given}={mask}", bench)):
            if isinstance(edit, NoFix):
                return edit
            edits.append(edit)
    for assign, target in plan.stored:
        words = [given, bench.source.code(assign.value), bench.text(target.value), bench.text(target.slice)]
        edits.append(bench.swap(assign.value, f"{bench.helper('_chosen')}({', '.join(words)})"))
    return Fix(tuple(edits), Safety.UNSAFE, "compute all rows while compiling", changes=CHANGES)


def _first(plan: ChosenRows) -> ast.stmt | None:
    """The statement above which the mask is None: the first one, unless the places are made in every call."""
    body = plan.function.body
    if plan.statement in body or plan.call is None:
        return None
    return body[1] if ast.get_docstring(plan.function, clean=False) is not None else body[0]
