"""Text that keeps the ints beside the tensor that is made of them, and reads them in its place."""

from __future__ import annotations

import ast
import itertools
import re

from ..facts.kept_ints import KeptInts
from ..facts.mirrors import Made, Mirror, Read
from ..model import Edit, Fix, NoFix, Safety, Span
from .bench import Bench
from .signature import argument, parameter


def mirror_fix(mirror: Mirror, bench: Bench) -> Fix | NoFix:
    """The edits of the whole file: where the tensors are made, where they are read, and all calls between."""
    edits: list[Edit] = []
    found: list[Edit | NoFix | list[Edit]] = [_made(m, bench) for m in mirror.made]
    found += [_read(r, bench) for r in mirror.reads]
    for function, name in mirror.taken:
        found.append(parameter(function, f"{ints(name, bench)}=None", bench))
    for call, given, name in mirror.given:
        found.append(argument(call, f"{ints(name, bench)}={ints(given, bench)}", bench))
    for one in found:
        if isinstance(one, NoFix):
            return one
        edits += one if isinstance(one, list) else [one]
    return Fix(tuple(dict.fromkeys(edits)), Safety.SAFE, "read the numbers that the tensor is made of")


def kept_fix(plan: KeptInts, bench: Bench) -> Fix | NoFix:
    """The edits of the whole file: where tensors that carry their ints are made, and where these are read."""
    edits: list[Edit] = []
    for made in plan.made:
        values = _valued(made, bench)
        if isinstance(values, NoFix):
            return values
        name, bound = values
        value, head = made.statement.value, f"{made.name} = "
        text = _renamed(value, made.values, name, bench)
        call = f"{bench.helper('_keep_ints')}({text}, {bench.helper('_ints')}({name}, {made.depth}))"
        laid = bench.layout(head, call, bench.source.margin(made.statement)).removeprefix(head)
        edits += [*bound, Edit(bench.source.span(value), laid)]
    for read in plan.reads:
        items = _items(read, bench)
        if isinstance(items, NoFix):
            return items
        edits += [bench.swap(read.node, f"{bench.helper('_kept_ints')}({read.node.id})"), *items]
    return Fix(tuple(dict.fromkeys(edits)), Safety.UNSAFE, "let the tensor carry the numbers that it is made of")


def ints(name: str, bench: Bench) -> str:
    """The name of the ints beside a tensor of that name."""
    return bench.facts.names.fresh(f"{name}_ints")


def _made(made: Made, bench: Bench) -> list[Edit] | NoFix:
    """The ints, bound in the line below the tensor; a list without a name gets one above it."""
    source, statement = bench.source, made.statement
    values = _valued(made, bench)
    if isinstance(values, NoFix):
        return values
    name, bound = values
    end = source.line_end(statement.end_lineno or statement.lineno)
    line = f"{ints(made.name, bench)} = {bench.helper('_ints')}({name}, {made.depth})"
    swapped = [bench.swap(made.values, name)] if bound else []
    return [*bound, *swapped, Edit(Span(end, end), f"{source.newline}{source.margin(statement)}{line}")]


def _renamed(value: ast.expr, part: ast.expr, name: str, bench: Bench) -> str:
    """The text of an expression with a name in the place of a part."""
    whole, inner = bench.source.span(value), bench.source.span(part)
    return bench.source.text[whole.start : inner.start] + name + bench.source.text[inner.end : whole.end]


def _valued(made: Made, bench: Bench) -> tuple[str, list[Edit]] | NoFix:
    """A name for the list that the tensor is made of, and the edit that binds it where it has none."""
    if not bench.alone([made.statement]):
        return NoFix("it shares its line with another statement")
    if isinstance(made.values, ast.Name):
        return made.values.id, []
    named = bench.fresh(f"{made.name}_values")
    line = f"{bench.source.margin(made.statement)}{named} = {bench.text(made.values)}"
    return named, [bench.insert_before(made.statement, line)]


def _read(read: Read, bench: Bench) -> list[Edit] | NoFix:
    name = read.node.id
    if read.whole is not None:
        return [bench.swap(read.whole, f"{bench.helper('_numbers')}({name}, {ints(name, bench)})")]
    items = _items(read, bench)
    swapped = bench.swap(read.node, f"{bench.helper('_mirror')}({name}, {ints(name, bench)})")
    return items if isinstance(items, NoFix) else [swapped, *items]


def _items(read: Read, bench: Bench) -> list[Edit] | NoFix:
    """The indices and `.item()` of the elements, written so that tuples and ints take them."""
    edits: list[Edit] = []
    for pair in read.pairs:
        assert isinstance(pair.slice, ast.Tuple)
        spans = [bench.source.span(e) for e in pair.slice.elts]
        edits += [Edit(Span(a.end, b.start), "][") for a, b in itertools.pairwise(spans)]
    for item in read.items:
        whole = as_int(item, bench)
        if isinstance(whole, NoFix):
            return whole
        edits += whole
    return edits


def as_int(item: ast.Call, bench: Bench) -> list[Edit] | NoFix:
    """`int(x)` for `x.item()`, which ints do not have."""
    assert isinstance(item.func, ast.Attribute)
    inner, outer = bench.source.span(item.func.value), bench.source.span(item)
    if not re.fullmatch(r"\s*\.\s*item\(\s*\)", bench.source.text[inner.end : outer.end]):
        return NoFix("the tensor whose `.item()` is read stands in parentheses")
    return [Edit(Span(outer.start, outer.start), "int("), Edit(Span(inner.end, outer.end), ")")]
