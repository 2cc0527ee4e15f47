"""The smith's face: find what breaks the graph in a source, cut the fixes, compose them."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from .facts import Facts
from .facts.names import Names
from .model import Edit, Finding, Fix, NoFix, RuleSettings
from .remedies import remedy
from .rule import Rule, registry
from .source import Source


def find(
    source: Source,
    select: Collection[str] | None = None,
    settings: RuleSettings | None = None,
    rules: Mapping[str, Rule] | None = None,
) -> list[Finding]:
    """All findings of the selected rules (None: all), by position; imports neither torch nor libcst."""
    if "torch" not in source.text:
        return []
    facts = facts_of(source, settings)
    known = rules if rules is not None else registry()
    wanted = [r for c, r in known.items() if select is None or c in select]
    # What comes last depends on what all others find, so the selection does not change it.
    asked = list(known.values()) if any(r.last for r in wanted) else wanted
    found = _found(facts, [r for r in asked if not r.last])
    facts.found = found
    found = [*found, *_found(facts, [r for r in wanted if r.last])]
    codes = {r.code for r in wanted}
    return sorted((f for f in found if f.code in codes), key=lambda f: (f.span, f.code, f.message))


def _found(facts: Facts, rules: Iterable[Rule]) -> list[Finding]:
    by_type: dict[type[ast.AST], list[Rule]] = {}
    for rule in rules:
        for kind in rule.nodes:
            by_type.setdefault(kind, []).append(rule)
    return [
        finding
        for kind, interested in by_type.items()
        for node in facts.names.nodes(kind)
        for compiled in (facts.may_compile(node),)
        for rule in interested
        if compiled or rule.anywhere
        for finding in facts.findings(rule, node)
    ]


def facts_of(source: Source, settings: RuleSettings | None = None) -> Facts:
    """The facts of a source, computed once for it and these settings."""
    known: Facts | None = getattr(source, "_facts", None)
    if known is None or (settings is not None and known.settings != settings):
        known = Facts(source, settings, names_of(source))
        source._facts = known  # type: ignore[attr-defined]
    return known


def names_of(source: Source) -> Names:
    """What the names of a source mean, whatever the settings."""
    known: Names | None = getattr(source, "_names", None)
    if known is None:
        known = source._names = Names(source)  # type: ignore[attr-defined]
    return known


def cut(
    source: Source, finding: Finding, settings: RuleSettings | None = None, rules: Mapping[str, Rule] | None = None
) -> Fix | NoFix:
    """The fix of one finding, or why there is none after all."""
    if finding.refusal is not None:
        return finding.refusal
    from .craft.bench import Bench, UnplaceableError

    facts = facts_of(source, settings)
    bench = Bench(source, facts, facts.settings)
    rule = (rules if rules is not None else registry())[finding.code]
    try:
        made = rule.cut(finding.plan, bench)
    except UnplaceableError as reason:
        return NoFix(str(reason), "write it as a statement of its own")
    if isinstance(made, NoFix):
        return made if made.remedy else replace(made, remedy=remedy(finding.registry))
    return bench.finish(made)


def compose(source: Source, fixes: Sequence[Fix]) -> tuple[Edit, ...]:
    """The edits of all fixes with the helpers, definitions and imports that they need, sorted and disjoint.

    Raises:
        ValueError: edits of two fixes overlap.
    """
    from .craft.compose import compose as composed

    return composed(source, facts_of(source), fixes)


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """The text with disjoint edits carried out."""
    pieces: list[str] = []
    at = 0
    for edit in sorted(edits):
        pieces += [text[at : edit.span.start], edit.text]
        at = edit.span.end
    return "".join([*pieces, text[at:]])
