"""Calls put the way that Dynamo takes them."""

from __future__ import annotations

import ast

from ..facts.detours import Detour
from ..model import Edit, Fix, NoFix, Safety, Span
from .bench import Bench, comments
from .compose import module_names

_SUMMARIES = {
    "generator": "name no generator where there is none",
    "items": "sort by the keys alone",
    "range": "count in Python",
    "product": "multiply in Python",
    "one_hot": "compare instead of counting classes",
}


def detour_fix(plan: Detour, bench: Bench) -> Fix | NoFix:
    """The fix of one detour."""
    if comments(bench.source.code(plan.node)):
        return NoFix("a comment stands inside of the call")
    edits = (bench.swap(plan.node, _text(plan, bench)), *_removed(plan, bench))
    return Fix(edits, Safety.SAFE, _SUMMARIES[plan.kind])


def _text(plan: Detour, bench: Bench) -> str:
    match plan.kind:
        case "generator":
            return _drawn(plan, bench)
        case "items":
            parts = [bench.source.code(a) for a in (*plan.call.args, *plan.call.keywords)]
            return (
                f"{bench.source.code(plan.call.func)}({', '.join([parts[0], 'key=lambda item: item[0]', *parts[1:]])})"
            )
        case "range":
            return f"{bench.helper('_integers')}({', '.join(map(bench.source.code, plan.parts))})"
        case "product":
            bench.imports.add("math")
            return f"{module_names(bench.facts, ('math',))['math']}.prod({bench.source.code(plan.parts[0])})"
    index, count = map(bench.source.code, plan.parts)
    original = bench.source.code(plan.node)
    if plan.absorbed is not None:
        start, name = bench.source.span(plan.node).start, bench.source.span(plan.call.args[1])
        value = bench.source.code(plan.absorbed.value)
        original = original[: name.start - start] + value + original[name.end - start :]
    return f"{bench.helper('_one_hot')}({index}, {count}, lambda: {original})"


def _drawn(plan: Detour, bench: Bench) -> str:
    (generator,) = plan.parts
    code = bench.source.code
    rest = [code(a) for a in (*plan.call.args, *plan.call.keywords) if getattr(a, "arg", "") != "generator"]
    plain, given, name = f"{code(plan.call.func)}({', '.join(rest)})", code(plan.call), code(generator)
    if isinstance(generator, ast.Constant):
        return plain
    margin = bench.source.margin(bench.facts.names.statement_of(plan.call))
    row = bench.source.line(plan.call.lineno)
    text = f"{plain} if {name} is None else {given}"
    whole = isinstance(bench.facts.names.parent(plan.call), (ast.Assign, ast.Return, ast.AnnAssign, ast.keyword))
    if len(row) + len(text) - len(given) > 118:
        newline, inner = bench.source.newline, margin + bench.source.indent
        return (
            f"({newline}{inner}{plain}{newline}{inner}if {name} is None{newline}{inner}else {given}{newline}{margin})"
        )
    return text if whole else f"({text})"


def _removed(plan: Detour, bench: Bench) -> tuple[Edit, ...]:
    """The statement whose value went into the call, with its line."""
    if plan.absorbed is None:
        return ()
    span = bench.source.span(plan.absorbed)
    first, last = plan.absorbed.lineno, bench.source.position(span.end)[0]
    return (Edit(Span(bench.source.line_start(first), bench.source.line_start(last + 1)), ""),)


__all__ = ["detour_fix"]
