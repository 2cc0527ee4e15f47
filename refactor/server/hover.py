"""What is shown over a finding: what it is, why, how sure, and the code that it would become."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from lsprotocol import types

from ..report.full import mark, notes
from ..report.remark import link
from ..transforms.model import Finding, NoFix, Safety
from .analysis import Analysis, Located

_MOST_LINES = 60


def hover(analysis: Analysis, uri: str, position: types.Position) -> types.Hover | None:
    """The hover at a position, None where there is no finding."""
    here = [item for item in analysis.located if item.uri == uri and _covers(item, position)]
    if not here or analysis.error is not None:
        return None
    text = "\n\n---\n\n".join("\n\n".join(_said(analysis, item.finding)) for item in here)
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text), here[0].range)


def _covers(item: Located, position: types.Position) -> bool:
    at = (position.line, position.character)
    start, end = item.range.start, item.range.end
    return (start.line, start.character) <= at <= (end.line, end.character)


def _said(analysis: Analysis, finding: Finding) -> Iterator[str]:
    address = link(finding.registry)
    code = f"[{finding.code}]({address})" if address else finding.code
    yield f"**{code} {finding.name}**: {finding.message}"
    yield "  \n".join(f"*{label}*: {text}" for label, text in notes(finding) if label not in ("registry", "fix"))
    if not mark(finding):
        return
    made = analysis.propose(finding)
    if isinstance(made, NoFix):
        yield f"*no fix*: {made.reason}" + (f"  \n*help*: {made.remedy}" if made.remedy else "")
        return
    safety = "safe: the eager behaviour stays the same" if made.safety is Safety.SAFE else "unsafe"
    changed = f", changes {', '.join(made.changes)}" if made.changes else ""
    yield f"*fix*: {made.summary} ({safety}{changed})"
    yield f"```diff\n{_preview(analysis.text, analysis.with_edits(made.edits))}\n```"


def _preview(old: str, new: str) -> str:
    lines = list(difflib.unified_diff(old.splitlines(), new.splitlines(), n=1, lineterm=""))[2:]
    shown = [line for line in lines if not line.startswith("@@")] if len(lines) < _MOST_LINES else lines
    more = ["…"] if len(shown) > _MOST_LINES else []
    return "\n".join([*shown[:_MOST_LINES], *more])
