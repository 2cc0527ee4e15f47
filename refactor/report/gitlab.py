"""GitLab's Code Quality report, a subset of Code Climate's format."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .plain import dumped
from .remark import Remark

_SEVERITIES = {"error": "critical", "warning": "minor", "note": "info"}


def document(remarks: Iterable[Remark]) -> str:
    """The report."""
    return dumped([_issue(remark) for remark in remarks])


def _issue(remark: Remark) -> dict[str, Any]:
    # Only the lines of a notebook's file could be shown, and those of a cell are others.
    begin, end = (remark.line, remark.end_line) if remark.line and not remark.cell else (1, 1)
    return {
        "description": f"{remark.code} {remark.text}",
        "check_name": remark.name,
        "fingerprint": remark.fingerprint,
        "severity": _SEVERITIES[remark.level],
        "location": {"path": remark.path, "lines": {"begin": begin, "end": end}},
    }
