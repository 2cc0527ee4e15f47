"""Text that keeps the ints beside the tensor that is made of them, and reads them in its place."""

from __future__ import annotations

import ast
import itertools
import re

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


def ints(name: str, bench: Bench) -> str:
    """The name of the ints beside a tensor of that name."""
    return bench.facts.names.fresh(f"{name}_ints")


def _made(made: Made, bench: Bench) -> list[Edit] | NoFix:
    """The ints, bound in the line below the tensor; a list without a name gets one above it."""
    source, statement = bench.source, made.statement
    if not bench.alone([statement]):
        return NoFix("it shares its line with another statement")
    margin, newline = source.margin(statement), source.newline
    edits: list[Edit] = []
    values = source.code(made.values)
    if not isinstance(made.values, ast.Name):
        named = bench.fresh(f"{made.name}_values")
        edits += [
            bench.insert_before(statement, f"{margin}{named} = {bench.text(made.values)}"),
            bench.swap(made.values, named),
        ]
        values = named
    end = source.line_end(statement.end_lineno or statement.lineno)
    line = f"{newline}{margin}{ints(made.name, bench)} = {bench.helper('_ints')}({values}, {made.depth})"
    return [*edits, Edit(Span(end, end), line)]


def _read(read: Read, bench: Bench) -> list[Edit] | NoFix:
    name = read.node.id
    if read.whole is not None:
        return [bench.swap(read.whole, f"{bench.helper('_numbers')}({name}, {ints(name, bench)})")]
    edits = [bench.swap(read.node, f"{bench.helper('_mirror')}({name}, {ints(name, bench)})")]
    for pair in read.pairs:
        assert isinstance(pair.slice, ast.Tuple)
        spans = [bench.source.span(e) for e in pair.slice.elts]
        edits += [Edit(Span(a.end, b.start), "][") for a, b in itertools.pairwise(spans)]
    for item in read.items:
        assert isinstance(item.func, ast.Attribute)
        inner, outer = bench.source.span(item.func.value), bench.source.span(item)
        if not re.fullmatch(r"\s*\.\s*item\(\s*\)", bench.source.text[inner.end : outer.end]):
            return NoFix("the tensor whose `.item()` is read stands in parentheses")
        edits += [Edit(Span(outer.start, outer.start), "int("), Edit(Span(inner.end, outer.end), ")")]
    return edits
