"""Text of a branch on a number as a choice between two tensors."""

from __future__ import annotations

from ..facts.thresholds import Threshold
from ..model import Fix, NoFix, Safety
from .bench import Bench, joined


def chosen(plan: Threshold, bench: Bench) -> Fix | NoFix:
    """One call in the place of the branch."""
    if not bench.alone([plan.node]):
        return NoFix("it shares its line with another statement")
    margin = bench.margin(plan.node)
    true, false = (bench.text(v) if v is not None else plan.name for v in (plan.true, plan.false))
    test = f"lambda {plan.number}: {bench.text(plan.node.test)}"
    call = (
        f"{bench.helper('_by_number')}({plan.number}, {test}, lambda: {true}, lambda: {false}, {joined(plan.tensors)})"
    )
    edit = bench.replace([plan.node], margin + bench.layout(f"{plan.name} = ", call, margin))
    return Fix((edit,), Safety.SAFE, "choose in the graph", conditions=(bench.condition(plan.node.test),))
