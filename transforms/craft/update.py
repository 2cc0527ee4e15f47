"""Text for a branch that decides whether tensors are updated in place."""

from __future__ import annotations

import libcst as cst

from ..facts.updates import Update
from ..model import Fix, NoFix, Safety
from .bench import Bench, joined


def update_fix(plan: Update, predicate: str, bench: Bench) -> Fix | NoFix:
    """The arm as a local function, and the call of the helper that runs it."""
    if not bench.alone([plan.node]) or bench.is_elif(plan.node):
        return NoFix("it shares its line with another statement, or is an `elif` clause")
    outer, newline = bench.margin(plan.node), bench.source.newline
    margin = outer + bench.source.indent if plan.host else outer
    name = bench.fresh("when_true")
    made = cst.parse_statement(f"def {name}():\n    pass")
    assert isinstance(made, cst.FunctionDef)
    made = made.with_changes(body=cst.IndentedBlock(body=list(bench.statements(plan.node.body))))
    targets = [bench.text(t) for t in plan.targets]
    held = f"({joined(targets)}{',' if len(targets) == 1 else ''})"
    call = bench.layout("", f"{bench.helper('_update_if')}({predicate}, {held}, {name})", margin)
    head = f"{outer}if {' and '.join(bench.text(h) for h in plan.host)}:{newline}" if plan.host else ""
    lead = "" if head or bench.opens_block(plan.node) or bench.comments_above(plan.node) else newline
    text = head + lead + bench.render([made], margin) + newline + newline + margin + call
    edit = bench.replace([plan.node], text)
    conditions = (bench.condition(plan.node.test),)
    summary = "keep the update in the graph"
    return Fix((edit,), Safety.SAFE, summary, changes=plan.changes, conditions=conditions)
