"""Text that makes a loop over experts compute all rows while compiling."""

from __future__ import annotations

from ..facts.experts import Experts
from ..model import Edit, Fix, NoFix, Safety
from .bench import Bench

CHANGES = (
    "gradient: in compiled code, experts that no row was routed to get zeros where they had None",
    "float order: in compiled code every expert computes all rows, which may round them in another way",
)


def experts_fix(plan: Experts, bench: Bench) -> Fix | NoFix:
    """The places of all rows in the place of the chosen ones, and zeros for what was not chosen."""
    helper = bench.helper("_rows" if plan.first else "_places")
    edits: list[Edit] = [bench.swap(plan.where, f"{helper}({bench.text(plan.mask)})")]
    if plan.hits is not None:
        mask = bench.text(plan.hits.mask)
        every = f"[(i,) for i in range(len({mask}))]" if plan.hits.rows else f"list(range(len({mask})))"
        torch = bench.torch(plan.loop)
        text = bench.text(plan.hits.node)
        edits.append(bench.swap(plan.hits.node, f"{every} if {torch}.compiler.is_compiling() else {text}"))
    chosen, mask = bench.helper("_chosen"), bench.text(plan.mask)
    edits += [bench.swap(value, f"{chosen}({mask}, {bench.text(value)})") for value in plan.added]
    for assign, target in plan.stored:
        old = f"{bench.text(target.value)}, {bench.text(target.slice)}"
        edits.append(bench.swap(assign.value, f"{chosen}({mask}, {bench.text(assign.value)}, {old})"))
    return Fix(tuple(edits), Safety.UNSAFE, "compute all rows with every expert while compiling", changes=CHANGES)
