"""Findings as diagnostics."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from lsprotocol import types

from ..codes import META
from ..errors import UserError
from ..report.full import notes
from ..report.remark import level, link
from ..transforms.model import Finding
from ..transforms.related import related
from .analysis import Analysis, Located
from .text import Text

SOURCE = "refactor"
_NOWHERE = types.Range(types.Position(0, 0), types.Position(0, 0))


def of(analysis: Analysis, located: Iterable[Located], relate: bool) -> Mapping[str, list[types.Diagnostic]]:
    """The diagnostics of each open text.

    Args:
        analysis: of the unit as it is.
        located: its findings, or those of an earlier text that still stand.
        relate: whether other places are named.
    """
    found: defaultdict[str, list[types.Diagnostic]] = defaultdict(list)
    for item in located:
        places = _related(analysis, item) if relate and analysis.error is None else None
        found[item.uri].append(_diagnostic(item, places))
    place = analysis.error_place()
    if place is not None and analysis.error is not None:
        uri, where = place
        found[uri].append(
            types.Diagnostic(where, analysis.error.message, types.DiagnosticSeverity.Error, source=SOURCE)
        )
    return found


def _diagnostic(item: Located, places: list[types.DiagnosticRelatedInformation] | None) -> types.Diagnostic:
    finding = item.finding
    address = link(finding.registry)
    return types.Diagnostic(
        range=item.range,
        message=message(finding),
        severity=severity(finding),
        code=finding.code,
        code_description=types.CodeDescription(address) if address else None,
        source=SOURCE,
        tags=[types.DiagnosticTag.Unnecessary] if finding.code == META else None,
        related_information=places,
        data={"name": finding.name, "safety": finding.safety.value if finding.safety else None},
    )


def message(finding: Finding) -> str:
    """What is said in the margin: the finding, and why there is no fix."""
    said = (f"{label}: {text}" for label, text in notes(finding) if label in ("no fix", "help"))
    return "\n".join((finding.message, *said))


def severity(finding: Finding) -> types.DiagnosticSeverity:
    """Cuts of the graph are warnings, what makes it be built again is information, a useless comment is a hint."""
    if finding.code == META:
        return types.DiagnosticSeverity.Hint
    if level(finding) == "note" or finding.code.startswith("TR5"):
        return types.DiagnosticSeverity.Information
    return types.DiagnosticSeverity.Warning


def _related(analysis: Analysis, item: Located) -> list[types.DiagnosticRelatedInformation]:
    return [
        types.DiagnosticRelatedInformation(analysis.shown(place.span), place.message)
        for place in related(analysis.source, item.finding, analysis.options.settings)
    ]


def of_settings(error: UserError, text: Text | None) -> types.Diagnostic:
    """An error of a settings file; `text` is that file."""
    where = text.row(error.line) if text and error.line else _NOWHERE
    return types.Diagnostic(where, error.message, types.DiagnosticSeverity.Error, source=SOURCE)
