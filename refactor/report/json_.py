"""The JSON format. `schema` is its version: keys may be added within one, never renamed or removed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from .. import __version__
from ..engine import Rewrite, Standing
from ..errors import UserError
from ..passes import Applied, Left
from ..transforms.model import Finding
from ..transforms.remedies import page
from .full import mark
from .plain import dumped

if TYPE_CHECKING:
    from ..verify.verdict import Verdict

SCHEMA = 1


def document(command: str, **content: Any) -> str:
    """A whole document, indented."""
    head = {"schema": SCHEMA, "tool": "torch-refactor", "version": __version__, "command": command}
    return dumped({**head, **content})


def finding(item: Finding) -> dict[str, Any]:
    """A finding; lines and columns count from 1, the end is exclusive, offsets count characters from 0."""
    return {
        "code": item.code,
        "name": item.name,
        "message": item.message,
        **({"cell": item.cell} if item.cell else {}),
        "location": {"line": item.line, "column": item.column + 1},
        "end_location": {"line": item.end_line, "column": item.end_column + 1},
        "offsets": [item.span.start, item.span.end],
        "evidence": {"level": item.evidence.level.value, "because": item.evidence.because},
        "fixable": bool(mark(item)),
        "safety": item.safety.value if item.safety else None,
        "refusal": {"reason": item.refusal.reason, "remedy": item.refusal.remedy} if item.refusal else None,
        "registry": list(item.registry),
        **({} if item.seen is None else {"seen": item.seen}),
        "registry_pages": list(map(page, item.registry)),
    }


def left(item: Left) -> dict[str, Any]:
    """A finding that stays after a rewrite, with the reason."""
    return {**finding(item.finding), "reason": item.reason, "remedy": item.remedy, "dropped": item.dropped}


def fix(item: Applied, standing: Standing) -> dict[str, Any]:
    """A fix that was made; its lines are those of the original."""
    return {
        "code": item.finding.code,
        "name": item.finding.name,
        **({"cell": item.finding.cell} if item.finding.cell else {}),
        "line": item.line,
        "end_line": item.end_line,
        "summary": item.fix.summary,
        "safety": item.fix.safety.value,
        "changes": list(item.fix.changes),
        "standing": standing.value,
    }


def verdict(value: Verdict | None) -> dict[str, Any] | None:
    """A verdict with its counts, and whether it is a gain."""
    if value is None:
        return None
    from ..verify.verdict import to_plain

    plain = {**to_plain(value), "gains": value.gains}
    del plain["files"]
    return plain


def rewrite(result: Rewrite, written: bool, patch: str | None) -> dict[str, Any]:
    """One file of `apply`."""
    return {
        "path": result.name,
        "changed": result.changed,
        "written": written,
        "fixes": [fix(item, standing) for item, standing in result.fixes],
        "left": [left(item) for item in result.left],
        "verdict": verdict(result.verdict),
        "notes": list(result.notes),
        "patch": patch,
    }


def errors(found: Iterable[UserError]) -> list[dict[str, Any]]:
    """What could not be treated, and why."""
    return [
        {"path": None if error.path is None else str(error.path), "line": error.line, "message": error.message}
        for error in found
    ]
