"""Workflow commands of GitHub Actions: each remark is an annotation on its line."""

from __future__ import annotations

from collections.abc import Iterable

from .remark import Remark

_KINDS = {"error": "error", "warning": "warning", "note": "notice"}


def document(remarks: Iterable[Remark]) -> str:
    """The commands, a line each."""
    return "\n".join(map(_command, remarks))


def _command(remark: Remark) -> str:
    place = {"title": f"refactor ({remark.code})", "file": remark.path}
    # The lines of a cell are not those of the notebook's file.
    if remark.line and not remark.cell:
        place |= {"line": str(remark.line), "endLine": str(remark.end_line)}
        if remark.line == remark.end_line:
            # Columns over several lines are refused.
            place |= {"col": str(remark.column), "endColumn": str(remark.end_column)}
    properties = ",".join(f"{key}={_escaped(value, ':,')}" for key, value in place.items() if value)
    text = "\n".join((f"{remark.code} {remark.text}", *remark.details))
    return f"::{_KINDS[remark.level]} {properties}::{_escaped(text)}"


def _escaped(text: str, more: str = "") -> str:
    return "".join(f"%{ord(character):02X}" if character in "%\r\n" + more else character for character in text)
