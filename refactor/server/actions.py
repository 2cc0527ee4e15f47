"""Code actions: offered from the findings, their edits computed when one is chosen."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lsprotocol import types

from ..codes import META
from ..engine import Proposal
from ..ignoring import ignore_edits
from ..report.full import mark
from ..transforms.model import Finding, NoFix, Safety
from .analysis import Analysis, Located
from .client import Client
from .documents import Document

FIX_ALL = "source.fixAll.refactor"
KINDS = (types.CodeActionKind.QuickFix, FIX_ALL)
EXPLAIN = "refactor.explain"
_RISK = "unsafe"


class Refused(Exception):  # noqa: N818  # an outcome that the user hears of
    """There is no edit, and the text says why."""


def offered(analysis: Analysis, uri: str, params: types.CodeActionParams, client: Client) -> list[types.CodeAction]:
    """The actions for a range of an open text; with their edits where the editor cannot ask for them later."""
    wanted = params.context.only
    found: list[types.CodeAction] = []
    if analysis.error is not None:
        return found
    if _asked(types.CodeActionKind.QuickFix, wanted):
        touched = [item for item in enumerate(analysis.located) if item[1].uri == uri and _meet(item[1], params.range)]
        for index, item in touched:
            found += _of_finding(analysis, index, item)
    if _asked(FIX_ALL, wanted) and any(_ready(item.finding) for item in analysis.located):
        found.append(_action(analysis, "Fix all that is safe (refactor)", FIX_ALL, "all"))
    if not client.resolves:
        found = list(_eager(analysis, found, client))
    return found


def _asked(kind: str, wanted: Iterable[str] | None) -> bool:
    return wanted is None or any(kind == asked or kind.startswith(f"{asked}.") or not asked for asked in wanted)


def _meet(item: Located, around: types.Range) -> bool:
    return _key(item.range.start) <= _key(around.end) and _key(around.start) <= _key(item.range.end)


def _key(position: types.Position) -> tuple[int, int]:
    return position.line, position.character


def _ready(finding: Finding) -> bool:
    return mark(finding) == "[*] "


def _of_finding(analysis: Analysis, index: int, item: Located) -> Iterator[types.CodeAction]:
    finding = item.finding
    title = f"{finding.name} ({finding.code})"
    quick = types.CodeActionKind.QuickFix
    if mark(finding):
        safe = _ready(finding)
        words = f"Rewrite {title}" if safe else f"Rewrite {title}, {_RISK}: not exact or assumed"
        action = _action(analysis, words, quick, "fix", index=index)
        action.is_preferred = safe
        action.diagnostics = None
        yield action
    alike = [other for other in analysis.located if other.finding.code == finding.code and _ready(other.finding)]
    if len(alike) > 1 and _ready(finding):
        yield _action(analysis, f"Rewrite all {len(alike)} of {title} in this file", quick, "rule", code=finding.code)
    if finding.code != META:
        yield _action(analysis, f"Ignore {title} with a comment", quick, "ignore", index=index)
    explain = types.Command(f"Explain {title}", EXPLAIN, arguments=[finding.code])
    yield types.CodeAction(title=f"Explain {title}", kind=quick, command=explain)


def _action(analysis: Analysis, title: str, kind: str, do: str, **more: Any) -> types.CodeAction:
    data = {"uri": analysis.unit.uri, "stamp": analysis.unit.stamp, "do": do, **more}
    return types.CodeAction(title=title, kind=kind, data=data)


def _eager(analysis: Analysis, actions: Iterable[types.CodeAction], client: Client) -> Iterator[types.CodeAction]:
    """The actions with their edits; one that turns out to have none is not offered."""
    for action in actions:
        with contextlib.suppress(Refused):
            yield resolved(analysis, action, client)


def resolved(analysis: Analysis, action: types.CodeAction, client: Client) -> types.CodeAction:
    """An action with its edit.

    Raises:
        Refused: there is none after all.
    """
    if not action.data:
        return action
    new, risk = _rewritten(analysis, action.data, client)
    changes = analysis.changes(new)
    if changes is None:
        raise Refused("the rewrite would reach across cells or touch a magic")
    if not changes:
        raise Refused("nothing can be rewritten here")
    action.edit = workspace_edit(changes, client, risk)
    return action


def _rewritten(analysis: Analysis, data: Mapping[str, Any], client: Client) -> tuple[str, str]:
    """The source after an action, and what is to be confirmed before."""
    if data["do"] == "all":
        return analysis.all_of(None), ""
    if data["do"] == "rule":
        return analysis.all_of(data["code"]), ""
    finding = analysis.located[data["index"]].finding
    if data["do"] == "ignore":
        edits, left = ignore_edits(analysis.source, [finding])
        if left:
            raise Refused("no comment can stand on its lines")
        return analysis.with_edits(tuple(edits)), ""
    made = analysis.propose(finding)
    if isinstance(made, NoFix):
        raise Refused(f"{made.reason}{f'; {made.remedy}' if made.remedy else ''}")
    risk = _risk(made)
    if risk and _ready(finding) and not client.annotates:
        # Only the cut knows the safety for certain, and the title that was chosen promised that it is safe.
        raise Refused(f"the fix {risk} at this place; allow it with `refactor apply --unsafe-fixes`")
    return analysis.with_edits(made.edits), risk


def _risk(made: Proposal) -> str:
    if made.safety is Safety.SAFE:
        return ""
    return f"changes {', '.join(made.changes)}" if made.changes else "rests on an assumption"


def workspace_edit(
    changes: Mapping[Document, list[types.TextEdit]], client: Client, risk: str = ""
) -> types.WorkspaceEdit:
    """Edits of the versions that they were computed for; asked for first, where there is a risk and the editor can."""
    if not client.versions:
        return types.WorkspaceEdit(changes={document.uri: edits for document, edits in changes.items()})
    annotations = None
    if risk and client.annotates:
        annotations = {_RISK: types.ChangeAnnotation("Unsafe rewrite", needs_confirmation=True, description=risk)}
    edits: list[types.TextDocumentEdit | types.CreateFile | types.RenameFile | types.DeleteFile] = [
        types.TextDocumentEdit(
            types.OptionalVersionedTextDocumentIdentifier(document.uri, document.version),
            [types.AnnotatedTextEdit(_RISK, edit.range, edit.new_text) if annotations else edit for edit in own],
        )
        for document, own in changes.items()
    ]
    return types.WorkspaceEdit(document_changes=edits, change_annotations=annotations)
