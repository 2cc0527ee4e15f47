"""Text that keeps the numbers beside the tensors that a module holds them in."""

from __future__ import annotations

import ast

from ..facts.classes import ClassInfo
from ..facts.held_numbers import Computed, Held, HeldNumbers, beside, number_name
from ..model import Edit, Fix, NoFix, Safety, Span
from .bench import Bench
from .mirror import as_int


def held_fix(plan: HeldNumbers, bench: Bench) -> Fix | NoFix:
    """The edits of the whole file: the constructors, what is read back, and the calls that give numbers."""
    edits: list[Edit] = []
    for info, held in plan.held:
        kept = _kept(info, held, bench)
        if isinstance(kept, NoFix):
            return kept
        edits += kept
    for read in plan.reads:
        number = ast.unparse(beside(read))
        edits.append(bench.swap(read, f"{bench.helper('_traced')}({bench.source.code(read)}, {number})"))
    for item in plan.items:
        whole = as_int(item, bench)
        if isinstance(whole, NoFix):
            return whole
        edits += whole
    for computed in plan.calls:
        edits += _computed(computed, bench)
    return Fix(tuple(dict.fromkeys(edits)), Safety.UNSAFE, "keep the numbers beside the tensors that hold them")


def _kept(info: ClassInfo, held: Held, bench: Bench) -> list[Edit] | NoFix:
    """The number, kept in the line below the tensor, and what it is made of above the statements that make that."""
    name = number_name(held.name)
    if name in info.attributes or name in info.methods:
        return NoFix(f"`{name}` is in use")
    if not bench.alone([held.statement, *(s for s, _ in held.form.lines)]):
        return NoFix("it shares its line with another statement")
    source, margin = bench.source, bench.source.margin(held.statement)
    owner = bench.facts.classes.owner(held.statement)
    assert owner is not None
    edits = [bench.insert_before(s, f"{source.margin(s)}{line}") for s, line in held.form.lines]
    end = source.line_end(held.statement.end_lineno or held.statement.lineno)
    return [*edits, Edit(Span(end, end), f"{source.newline}{margin}{owner[1]}.{name} = {held.form.text}")]


def _computed(computed: Computed, bench: Bench) -> list[Edit]:
    """The call of a method that gives the number while tracing, and that method below the one that makes the tensor."""
    method, source = computed.method, bench.source
    name = bench.named(f"{method.name}_int", method)
    owner = bench.facts.classes.owner(method.body[0])
    assert owner is not None
    torch, me = bench.torch(method), owner[1]
    shapes = [f"{p}_shape" for p in computed.shaped]
    stands = ", ".join(f'{torch}.empty({s}, device="meta")' for s in shapes)
    lines = [
        f"@{torch}.compiler.assume_constant_result",
        f"def {name}({', '.join([me, *shapes, '*_numbers'])}):",
        f'    """`{method.name}` while tracing: an int that follows from those shapes and numbers."""',
        f"    return int({me}.{method.name}({stands}))",
    ]
    margin = source.margin(method)
    end = source.line_end(method.end_lineno or method.lineno)
    text = bench.lines("\n".join(lines), margin)
    call = computed.call
    assert isinstance(call.func, ast.Attribute)
    given = [f"{bench.source.code(a)}.shape" for a in call.args]
    given += [f"{me}.{number_name(n)}" for n in computed.follows]
    statement = bench.facts.names.statement_of(call)
    inner = source.margin(statement) + source.indent
    int_call = bench.layout("", f"{bench.source.code(call.func.value)}.{name}({', '.join(given)})", inner)
    parts = [int_call, f"if {torch}.compiler.is_compiling()", f"else {bench.text(call)}"]
    chosen = (
        f"({source.newline}{inner}"
        + f"{source.newline}{inner}".join(parts)
        + f"{source.newline}{source.margin(statement)})"
    )
    below = f"{source.newline}{source.newline}{text}"
    return [Edit(Span(end, end), below), Edit(source.span(call), chosen)]
