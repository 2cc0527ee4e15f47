"""Adding ignore comments: where one can stand, and what it says besides what is there."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Iterable, Sequence

from .codes import META
from .errors import UserError
from .suppress import Suppression, suppressions
from .transforms.model import Edit, Finding, Span
from .transforms.source import Source


def ignore_edits(source: Source, findings: Iterable[Finding]) -> tuple[list[Edit], list[Finding]]:
    """The edits that silence findings by a comment on their first or last line, and the findings that have no room.

    A comment that is there already gets the further codes. One that suppresses nothing is never itself ignored.
    """
    free = _free_lines(source)
    wanted: dict[int, set[str]] = {}
    left = []
    for finding in findings:
        line = next((line for line in (finding.line, finding.end_line) if line in free), None)
        if line is None or finding.code == META:
            left.append(finding)
        else:
            wanted.setdefault(line, set()).add(finding.code)
    present = {comment.line: comment for comment in suppressions(source)}
    return [_edit(source, line, sorted(codes), present.get(line)) for line, codes in sorted(wanted.items())], left


def _edit(source: Source, line: int, codes: Sequence[str], there: Suppression | None) -> Edit:
    if there is not None:
        return Edit(there.span, _comment([*there.codes, *(code for code in codes if code not in there.codes)]))
    end = source.line_end(line)
    start = source.line_start(line) + len(source.text[source.line_start(line) : end].rstrip())
    return Edit(Span(start, end), f"  {_comment(codes)}")


def _comment(codes: Iterable[str]) -> str:
    return f"# refactor: ignore[{', '.join(codes)}]"


def _free_lines(source: Source) -> set[int]:
    """The lines at whose end a comment can stand: not inside of a string, not before a continuation."""
    stream = io.StringIO(source.text.removeprefix("\ufeff"), newline=None)
    ends = (tokenize.NEWLINE, tokenize.NL, tokenize.COMMENT)
    return {token.start[0] for token in tokenize.generate_tokens(stream.readline) if token.type in ends}


def ignored(text: str, name: str, findings: Iterable[Finding]) -> tuple[str, list[Finding]]:
    """A text with comments for its findings, and those that have no room for one."""
    source = Source(text, name)
    edits, left = ignore_edits(source, findings)
    for edit in sorted(edits, reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    try:
        Source(text, name)
    except SyntaxError as error:
        raise UserError(f"adding comments would break it: {error.msg}", name, error.lineno) from None
    return text, left
