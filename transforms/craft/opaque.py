"""Text that makes a function one op, with another that makes the shapes of its results."""

from __future__ import annotations

from ..facts.opaque import Opaque
from ..model import Fix, NoFix, Safety
from .bench import Bench


def opaque_fix(plan: Opaque, bench: Bench) -> Fix | NoFix:
    """The fix that decorates the function, its body as it is."""
    function = plan.function
    if not bench.alone([function]) or any(not bench.alone([s]) for s in plan.shaping):
        return NoFix("it shares its line with another statement")
    name = bench.fresh(f"{'' if function.name.startswith('_') else '_'}{function.name}_shapes")
    parameters = ", ".join(a.arg for a in function.args.args)
    lines = [f"def {name}({parameters}):"]
    for statement in plan.shaping:
        if bench.source.indent != "    ":
            return NoFix("the file is not indented by four spaces")
        lines.append(bench.render(bench.statements([statement]), "    "))
    text = "\n".join(lines) + "\n"
    margin = bench.source.margin(function)
    mark = f'{margin}@{bench.helper("_opaque")}("{plan.schema}", {name})'
    return Fix(
        (bench.insert_before(function, mark),),
        Safety.SAFE,
        "run the helper as one op",
        definitions=(text,),
    )
