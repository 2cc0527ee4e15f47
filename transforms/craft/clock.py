"""Text of a loop whose condition is worked out while tracing."""

from __future__ import annotations

import ast
import re

from ..facts.clocks import Clock
from ..model import Fix, NoFix, Safety
from .bench import Bench, joined


def known_ahead(plan: Clock, bench: Bench) -> Fix | NoFix:
    """The number of trips as a function of the numbers that the condition follows from, in its place."""
    if not bench.alone([plan.loop]):
        return NoFix("it shares its line with another statement")
    name = bench.named(f"_{plan.function.name.strip('_')}_trips", plan.loop)
    count, left = bench.fresh("count"), bench.fresh("trips_left")
    owner = bench.facts.classes.owner(plan.loop)
    me = owner[1] if owner is not None else ""
    parameters = {s: bench.fresh(s) if s in bench.facts.names.bound_in(plan.function) else s for s in plan.settings}
    torch = bench.torch(plan.function)

    def text(node: ast.AST) -> str:
        code = re.sub(r"\s*[\r\n]\s*", " ", bench.source.code(node))
        for setting, parameter in parameters.items():
            code = re.sub(rf"\b{me}\.{setting}\b", parameter, code)
        return code

    lines = [f"@{torch}.compiler.assume_constant_result", f"def {name}({joined(parameters.values())}):"]
    lines.append(f'    """The trips of the loop in `{plan.function.name}`, counted while tracing."""')
    lines += [f"    {text(s)}" for s in plan.before]
    lines += [f"    {count} = 0", f"    while {text(plan.loop.test)}:", f"        {count} += 1"]
    lines += [f"        {text(s)}" for s in plan.each]
    lines.append(f"    return range({count})")
    call = f"{name}({joined(f'{me}.{s}' for s in plan.settings)})"
    above = f"{left} = len({call}) if {torch}.compiler.is_compiling() else None"
    test = bench.text(plan.loop.test)
    edits = (
        bench.insert_before(plan.loop, bench.margin(plan.loop) + above),
        bench.swap(plan.loop.test, f"{test} if {left} is None else ({left} := {left} - 1) >= 0"),
    )
    return Fix(edits, Safety.SAFE, "work the loop's condition out while tracing", definitions=("\n".join(lines),))
