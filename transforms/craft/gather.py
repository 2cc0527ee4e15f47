"""Text for statements that move into a function which Dynamo leaves alone."""

from __future__ import annotations

import libcst as cst

from ..facts.gather import Gathering
from ..model import Edit, NoFix
from .bench import Bench, Statement, joined
from .driver import marked, piece_calls
from .loop import function_of, put, replaced


def gather(plan: Gathering, bench: Bench) -> list[Edit] | NoFix:
    """Put a call in the place of the statements, and the function behind the method or above the function."""
    assert plan.part is not None
    if not bench.alone(plan.statements):
        return NoFix("they share a line with another statement")
    name = bench.fresh(plan.part.base)
    body: list[Statement] = list(bench.statements(plan.statements))
    if len(body) != len(plan.statements):
        return NoFix("they can not be cut out")
    body[0] = body[0].with_changes(leading_lines=())
    if plan.part.results:
        body.append(bench.parse(f"return {joined(plan.part.results)}\n"))
    host = function_of(plan, plan.part, name, body, bench)
    disable = cst.Decorator(cst.parse_expression(f"{bench.torch(plan.function)}.compiler.disable"))
    made = [host.with_changes(decorators=[disable])]
    head = "return " if plan.returns else f"{joined(plan.part.results)} = " if plan.part.results else ""
    callee = f"{plan.owner}.{name}" if plan.owner else name
    margin = bench.margin(plan.statements[0])
    call = margin + bench.layout(head, f"{callee}({joined(plan.part.parameters)})", margin)
    edits = [replaced(plan.statements, call, made, bench)]
    if plan.driver is None:
        return [*edits, put(plan, made, bench)]
    calls = piece_calls(plan.driver, made, bench)
    return calls if isinstance(calls, NoFix) else [*edits, *calls, *marked(plan.driver, made, bench)]
