"""The nouns of the tool: what a rule finds, what it would change, and how sure it is. All are immutable."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .observed import Observed

if TYPE_CHECKING:
    from .facts.values import Value


class Safety(enum.Enum):
    """What a fix may change at its site."""

    SAFE = "safe"  # keeps the contract on PROVED or OBSERVED facts
    UNSAFE = "unsafe"  # changes something the rule names, or rests on ASSUMED facts
    DISPLAY = "display"  # advice only, never applied


class Level(enum.Enum):
    """How a fact is known."""

    PROVED = "proved"
    OBSERVED = "observed"
    ASSUMED = "assumed"
    NO = "no"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Evidence:
    """A level of certainty and the reason for it, in words a user can check."""

    level: Level
    because: str

    @property
    def holds(self) -> bool:
        """True where the fact may be relied on, at least by assumption."""
        return self.level in (Level.PROVED, Level.OBSERVED, Level.ASSUMED)

    @property
    def certain(self) -> bool:
        """True where the fact is proved or was observed."""
        return self.level in (Level.PROVED, Level.OBSERVED)


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open range of character offsets into a source text."""

    start: int
    end: int

    def overlaps(self, other: Span) -> bool:
        """True where the ranges share a character, or both are the same empty point."""
        if self.start == self.end and other.start == other.end:
            return self.start == other.start
        return self.start < other.end and other.start < self.end


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Replace the characters of `span` by `text`."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition that a fix rewrites, by its place in the original text (1-based line, 0-based character column).

    The judge counts how often each side of it is reached; `span` covers the test expression.
    """

    line: int
    column: int
    span: Span


@dataclass(frozen=True, slots=True)
class Fix:
    """A legal rewrite of one site.

    Attributes:
        edits: disjoint replacements, without the helpers and imports below.
        safety: what the rewrite keeps.
        summary: one line in the imperative, for lists and commit messages.
        helpers: helpers (see `craft/helpers.py`) that the module must carry afterwards, each with its name there.
        definitions: module-level source blocks that this fix adds after the helpers, each one `def` with decorators.
        imports: modules that the edits and definitions read by the name that the bench gave them.
        changes: what a caller could observe, declared by the rule; empty for an exact rewrite.
        conditions: the conditions whose both sides the judge must reach.
    """

    edits: tuple[Edit, ...]
    safety: Safety
    summary: str
    helpers: tuple[tuple[str, str], ...] = ()
    definitions: tuple[str, ...] = ()
    imports: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    conditions: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class NoFix:
    """Why a site is left alone, and what its author could do instead."""

    reason: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One place where Dynamo cuts the graph, skips the frame or recompiles.

    `seen` is how often it was seen to do harm in recorded runs; None where there are none to ask.
    `plan` is what the rule's `cut` needs (plain data); it is None where `refusal` says why there is no fix. `cell` is
    the number of the notebook cell that the lines are counted in, 0 in a file that is no notebook.
    """

    code: str
    name: str
    message: str
    span: Span
    line: int
    column: int
    end_line: int
    end_column: int
    evidence: Evidence
    safety: Safety | None = None
    refusal: NoFix | None = None
    registry: tuple[str, ...] = ()
    plan: Any = field(default=None, compare=False, repr=False)
    seen: int | None = None
    cell: int = 0

    @property
    def fixable(self) -> bool:
        """True where the rule has a legal rewrite."""
        return self.refusal is None


@dataclass(frozen=True, slots=True)
class RuleSettings:
    """What a user may tell the rules.

    Attributes:
        max_unroll: the largest trip count of a loop that is unrolled.
        max_unrolled_lines: the largest number of lines that an unrolled loop may have.
        observed: what recorded runs showed of the file.
        max_flags: how many Python-side flags one function may get; each doubles the number of graphs.
        declined: the sites that a rule is not to have, each (code, start, end); what leaves a site to that rule gets
            its turn.
        only: the codes of the rules that are in force; None for all.
        modules: imported base classes that are known to derive from `nn.Module`, by the dotted names of `facts.names`.
        inherited: names that such classes define, which a new method must not take.
        compiled: functions and classes of the file that other files of the project compile.
        returned: what functions of other files return, by the dotted names of `facts.names`.
        torch: the oldest torch that rewritten code has to run on, (2, 6) for 2.6; None for the newest.
    """

    max_unroll: int = 8
    max_unrolled_lines: int = 40
    max_flags: int = 3
    declined: frozenset[tuple[str, int, int]] = frozenset()
    only: frozenset[str] | None = None
    modules: frozenset[str] = frozenset()
    inherited: frozenset[str] = frozenset()
    compiled: frozenset[str] = frozenset()
    returned: Mapping[str, Value] = field(default_factory=dict, hash=False)
    observed: Observed | None = None
    torch: tuple[int, int] | None = None
