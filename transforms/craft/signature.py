"""Text that gives a function one more keyword, and a call one more argument."""

from __future__ import annotations

import ast
import re

from ..facts.classes import FunctionNode
from ..model import Edit, NoFix, Span
from .bench import Bench


def parameter(function: FunctionNode, text: str, bench: Bench) -> Edit | NoFix:
    """The edit that adds a keyword-only parameter, `name=None`, as the last one before `**kwargs`."""
    a = function.args
    parts: list[ast.AST] = [*a.posonlyargs, *a.args, *a.defaults, *a.kwonlyargs, *(d for d in a.kw_defaults if d)]
    parts += [a.vararg] if a.vararg else []
    bare = not a.kwonlyargs and a.vararg is None
    if a.posonlyargs and not a.args and bare:
        return NoFix(f"the header of `{function.name}` can not be given one more parameter")
    added = [*(["*"] if bare else []), text]
    if not parts:
        return _empty(function, added, bench)
    last = max(parts, key=lambda n: bench.source.span(n).end)
    first = next(p for p in [*a.args, *a.kwonlyargs, a.vararg, *a.posonlyargs] if p is not None)
    end = bench.source.span(last).end
    rest = bench.source.text[end : bench.source.span(function.body[0]).start]
    if not re.match(r"\s*(,|\)|#)", rest):
        return NoFix(f"the header of `{function.name}` can not be given one more parameter")
    return _behind(end, first, added, bench)


def _empty(function: FunctionNode, added: list[str], bench: Bench) -> Edit | NoFix:
    start = bench.source.span(function).start
    found = re.compile(r"(?:async\s+)?def\s+\w+\s*\(").match(bench.source.text, start)
    if found is None or function.args.kwarg is not None:
        return NoFix(f"the header of `{function.name}` can not be given one more parameter")
    return Edit(Span(found.end(), found.end()), ", ".join(added))


def argument(call: ast.Call, text: str, bench: Bench) -> Edit | NoFix:
    """The edit that adds a keyword argument to a call."""
    given: list[ast.AST] = [*call.args, *call.keywords]
    if not given:
        inside = Span(bench.source.span(call).end - 1, bench.source.span(call).end - 1)
        return Edit(inside, text)
    last = max(given, key=lambda n: bench.source.span(n).end)
    end = bench.source.span(last).end
    rest = bench.source.text[end : bench.source.span(call).end]
    if not re.fullmatch(r"\s*,?\s*(#[^\r\n]*\s*)*\)", rest):
        return NoFix("an argument in parentheses stands at the end of a call")
    return _behind(end, min(given, key=lambda n: bench.source.span(n).start), [text], bench)


def _behind(end: int, first: ast.AST, added: list[str], bench: Bench) -> Edit:
    """Add to a list that has one entry on each line, or all of them on one."""
    source = bench.source
    row, _ = source.position(end)
    begins, _ = source.position(source.span(first).start)
    margin = source.line(row)[: len(source.line(row)) - len(source.line(row).lstrip())]
    above = source.text[source.line_start(begins) : source.span(first).start]
    several = not above.strip() and row > begins
    comma = re.compile(r"[ \t]*,[ \t]*(#[^\r\n]*)?(?=[\r\n])").match(source.text, end)
    if several and comma is not None:
        return Edit(Span(comma.end(), comma.end()), "".join(f"{source.newline}{margin}{a}," for a in added))
    between = f",{source.newline}{margin}" if several else ", "
    return Edit(Span(end, end), "".join(between + a for a in added))
