"""Text for numbers that are read in one place."""

from __future__ import annotations

import ast

from ..facts.hoists import flag_name
from ..facts.reads import EachRead, TogetherRead
from ..model import Fix, NoFix, Safety
from .bench import Bench, comments, joined

SUMMARY = "read the numbers in one place"


def each_fix(plan: EachRead, bench: Bench) -> Fix | NoFix:
    """The fix of a generator."""
    node, source = plan.node, bench.source
    if comments(source.code(node)):
        return NoFix("a comment stands in it")
    helper, iterated = bench.helper("_items"), bench.text(plan.iterated)
    generator = node.generators[0]
    if plan.around == "items":
        loop = f"zip({iterated}.keys(), {helper}({iterated}.values()))"
    else:
        loop = f"enumerate({helper}({iterated}))" if plan.around == "enumerate" else f"{helper}({iterated})"
    if node.elt in plan.reads and not plan.around:
        # The parentheses of a call belong to a generator that is its only argument.
        call = bench.facts.names.parent(node)
        only = isinstance(call, ast.Call) and source.span(node).end == source.span(call).end
        return Fix((bench.swap(node, f"({loop})" if only else loop),), Safety.SAFE, SUMMARY)
    edits = [bench.swap(generator.iter, loop), *(bench.swap(r, _target(r)) for r in plan.reads)]
    return Fix(tuple(edits), Safety.SAFE, SUMMARY)


def together_fix(plan: TogetherRead, bench: Bench) -> Fix | NoFix:
    """The fix of a statement."""
    statement = plan.statement
    if not bench.alone([statement]):
        return NoFix("it shares its line with another statement")
    names: dict[str, tuple[str, str]] = {}
    edits = []
    for read in plan.reads:
        assert isinstance(read.func, ast.Attribute)
        key = ast.dump(read.func.value)
        if key not in names:
            tensor = read.func.value
            base = tensor.id if isinstance(tensor, ast.Name) else flag_name(tensor, bench.facts)
            name = bench.fresh(f"{base}_item")
            names[key] = (name, bench.text(read.func.value))
        edits.append(bench.swap(read, names[key][0]))
    targets, given = joined([n for n, _ in names.values()]), joined([t for _, t in names.values()])
    margin = bench.margin(statement)
    text = margin + bench.layout(f"{targets} = ", f"{bench.helper('_items')}([{given}])", margin)
    return Fix((bench.insert_before(statement, text), *edits), Safety.SAFE, SUMMARY)


def _target(read: ast.Call) -> str:
    assert isinstance(read.func, ast.Attribute)
    return ast.unparse(read.func.value)
