"""Other places that a finding rests on: what makes its values tensors, and the code that runs compiled around it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from .facts import Facts
from .model import Finding, RuleSettings, Span
from .smith import facts_of
from .source import Source
from .trees import by_type

_LINE_IN_WORDS = re.compile(r"\bline (\d+)\b")
_MOST_NAMES = 3


@dataclass(frozen=True, slots=True)
class Related:
    """A place and what it has to do with a finding."""

    span: Span
    message: str


def related(source: Source, finding: Finding, settings: RuleSettings | None = None) -> list[Related]:
    """The places, each once: those that the evidence names, the bindings of what is read, the compiled function."""
    facts = facts_of(source, settings)
    found: dict[Span, Related] = {}
    for place in (*_named(source, finding), *_around(source, facts, finding)):
        if not place.span.overlaps(finding.span):
            found.setdefault(place.span, place)
    return list(found.values())


def _named(source: Source, finding: Finding) -> Iterator[Related]:
    for number in map(int, _LINE_IN_WORDS.findall(finding.evidence.because)):
        if number <= source.line_count:
            row = source.line(number)
            start = source.line_start(number) + len(row) - len(row.lstrip())
            yield Related(Span(start, source.line_end(number)), finding.evidence.because)


def _around(source: Source, facts: Facts, finding: Finding) -> Iterator[Related]:
    function = _innermost(source, facts, finding)
    if function is None:
        return
    inside: list[ast.Name] = by_type(function).get(ast.Name, [])
    read = dict.fromkeys(
        node.id
        for node in inside
        if isinstance(node.ctx, ast.Load)
        and finding.line <= node.lineno <= finding.end_line
        and source.span(node).overlaps(finding.span)
    )
    for name in list(read)[:_MOST_NAMES]:
        stores = [n for n in inside if n.id == name and isinstance(n.ctx, ast.Store)]
        before = [span for span in map(source.span, stores) if span.end <= finding.span.start]
        if before:
            yield Related(max(before), f"`{name}` is bound here")
    region = facts.regions.of(function)
    if region:
        start = source.text.find(function.name, source.span(function).start)
        yield Related(Span(start, start + len(function.name)), f"may run compiled: {region.evidence.because}")


def _innermost(source: Source, facts: Facts, finding: Finding) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    """The innermost function definition around a finding."""
    around = [
        node
        for node in facts.names.functions()
        if node.lineno <= finding.line <= (node.end_lineno or 0) and source.span(node).start <= finding.span.start
    ]
    return max(around, key=lambda node: node.lineno, default=None)
