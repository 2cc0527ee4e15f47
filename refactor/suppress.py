"""`# refactor: ignore[CODE]` comments, and the ones that no longer suppress anything."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from .codes import META
from .transforms.model import Evidence, Finding, Level, NoFix, Span
from .transforms.source import Source

_COMMENT = re.compile(r"#\s*refactor:\s*ignore(?P<file>-file)?(?:\[(?P<codes>[^\]]*)\])?(?![\w-])", re.IGNORECASE)

NAME = "unused-suppression"
DOCUMENTATION = """\
An ignore comment suppresses nothing.

## What it does
Finds `# refactor: ignore`, `# refactor: ignore[TR101]` and `# refactor: ignore-file` comments that no finding needs.

## Why
A comment that outlives its reason hides the next finding on that line.

## Example
```python
y = x + 1  # refactor: ignore[TR101]
```

## Use instead
```python
y = x + 1
```

## Fix safety
There is no fix: the comment may carry other words, so it is for the author to remove.
"""


@dataclass(frozen=True)
class Suppression:
    """One comment; `codes` is empty where it names none and so means all, `line` is None for a whole file."""

    span: Span
    codes: tuple[str, ...]
    at: int
    line: int | None

    def covers(self, finding: Finding) -> bool:
        """True where the comment suppresses the finding."""
        here = self.line is None or self.line in (finding.line, finding.end_line)
        return here and (not self.codes or any(finding.code.startswith(code) for code in self.codes))

    def asked(self, select: Collection[str], complete: bool) -> bool:
        """True where the rules that the comment speaks of were looked for."""
        return any(code.startswith(own) for own in self.codes for code in select) if self.codes else complete


def suppressions(source: Source) -> list[Suppression]:
    """The comments of a source, by its tokens: text inside strings is never one."""
    if "refactor:" not in source.text:
        return []
    # A None newline makes every line ending one character, as the source's own table of lines counts them.
    stream = io.StringIO(source.text.removeprefix("\ufeff"), newline=None)
    found = []
    for token in tokenize.generate_tokens(stream.readline):
        match = _COMMENT.search(token.string) if token.type == tokenize.COMMENT else None
        if match is None:
            continue
        line, column = token.start
        start = source.line_start(line) + column + match.start()
        codes = tuple(code.strip() for code in (match["codes"] or "").split(",") if code.strip())
        span = Span(start, start + match.end() - match.start())
        found.append(Suppression(span, codes, line, None if match["file"] else line))
    return found


def suppress(source: Source, findings: Iterable[Finding], select: Collection[str], complete: bool) -> list[Finding]:
    """Drop the suppressed findings, and add one for each comment that suppresses nothing.

    Args:
        source: the text that the findings are of.
        findings: in order of position.
        select: the codes that were looked for; a comment for another one may be needed there.
        complete: whether that is every rule, so that a comment without a code can be called unused.
    """
    comments = suppressions(source)
    kept, used = [], set()
    for finding in findings:
        covering = [comment for comment in comments if comment.covers(finding)]
        used.update(covering)
        if not covering:
            kept.append(finding)
    if META in select:
        # Under a comment that silences the whole file no other one can show its use.
        judged = [c for c in comments if c.line is None and not c.codes] or comments
        kept += [
            _unused(source, comment) for comment in judged if comment not in used and comment.asked(select, complete)
        ]
    return sorted(kept, key=lambda finding: (finding.span.start, finding.span.end, finding.code))


def _unused(source: Source, comment: Suppression) -> Finding:
    line, column = source.position(comment.span.start)
    end_line, end_column = source.position(comment.span.end)
    return Finding(
        code=META,
        name=NAME,
        message="This comment suppresses nothing",
        span=comment.span,
        line=line,
        column=column,
        end_line=end_line,
        end_column=end_column,
        evidence=Evidence(Level.PROVED, "no finding starts or ends on its line"),
        refusal=NoFix("the comment may carry other words", "remove it"),
    )
