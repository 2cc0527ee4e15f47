"""What `explain` tells, once traces, measurements and findings are joined: the nouns of its reports."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

_LINE = re.compile(r"\r\n|\r|\n")

if TYPE_CHECKING:
    from .verify.ledger import Ledger, Spread
    from .verify.trace import Guard, Run


@dataclass(frozen=True)
class Cure:
    """What a rule says about a place that cost something.

    Attributes:
        code, name: the rule; empty where none knows the place.
        fixes: whether `apply` would fix it.
        words: what the fix does, or why there is none.
        remedy: what the author could do.
    """

    code: str = ""
    name: str = ""
    fixes: bool = False
    words: str = "no rule knows this form"
    remedy: str = ""

    @property
    def line(self) -> str:
        """`apply` fixes it, or not, and why: one line."""
        rule = f"{self.code} {self.name}".strip()
        if self.fixes:
            fixed = f"`refactor apply` fixes it ({self.words})"
            return f"{rule}: {fixed}" if rule else fixed
        reason = f"not fixed: {self.words}{f'; {self.remedy}' if self.remedy else ''}"
        return f"{rule}: {reason}" if rule else reason


@dataclass(frozen=True)
class Cut:
    """A break site, with what it costs.

    Attributes:
        number: its index among the break sites of the run.
        words: the reason in plain words; `reason` is Dynamo's own.
        link: the page of the graph-break registry, empty where there is none.
        crossings: how often calls went through it; `calls` is how many calls there were.
        us: the time of one crossing in µs, with what the user's code does in it; None where it was not measured.
        seconds: compilations of what comes after it.
        frames: names of the functions that Dynamo gave up because of it.
    """

    number: int
    path: str
    line: int
    words: str
    reason: str
    registry: str
    link: str
    crossings: int
    calls: int
    events: int
    us: float | None
    seconds: float
    frames: tuple[str, ...]
    cure: Cure

    @property
    def cost_us(self) -> float | None:
        """What it costs an average call, in µs; None where a crossing was not measured."""
        return None if self.us is None or not self.calls else self.us * self.crossings / self.calls


@dataclass(frozen=True)
class Skipped:
    """A frame that Dynamo gave up: all of it runs eagerly."""

    path: str
    line: int
    name: str
    words: str
    limit: bool
    cure: Cure


@dataclass(frozen=True)
class Cause:
    """What made a frame compile again: one guard, and how often it failed."""

    path: str
    line: int
    frame: str
    words: str
    times: int
    seconds: float
    guard: Guard
    cure: Cure


Spot: TypeAlias = Cut | Skipped | Cause
"""Anything that costs something at a place."""


@dataclass(frozen=True)
class Program:
    """One version of the program: `key` is `before` or `after`.

    Attributes:
        cuts: the break sites, the most costly first.
        texts: the sources that its frames and sites lie in, by path.
    """

    key: str
    run: Run
    ledger: Ledger
    cuts: tuple[Cut, ...]
    skipped: tuple[Skipped, ...]
    causes: tuple[Cause, ...]
    texts: Mapping[str, str]
    raised: Mapping[int, str] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """Its heading."""
        return "before" if self.key == "before" else "after the rewrite"

    @property
    def spots(self) -> tuple[Spot, ...]:
        """Everything that costs something."""
        return (*self.cuts, *self.skipped, *self.causes)

    def line(self, path: str, line: int) -> str:
        """The text of a line of its sources; empty where it is not known."""
        lines = _LINE.split(self.texts.get(path, ""))
        return lines[line - 1].strip() if 0 < line <= len(lines) else ""


@dataclass(frozen=True)
class Explanation:
    """Everything that `explain` tells.

    Attributes:
        target: what was explained, as the user named it.
        backend: where graphs went; empty where that is not known.
        called: what was called, in words.
        after: the rewrite as it ran; None where there is none.
        eager_us: a call without compilation; gain: how many times faster a steady call of the rewrite is.
        verdict: on the rewrite, as one line.
    """

    target: str
    before: Program
    after: Program | None = None
    backend: str = ""
    called: str = ""
    eager_us: Spread | None = None
    gain: Spread | None = None
    verdict: str = ""
    notes: tuple[str, ...] = ()

    @property
    def programs(self) -> tuple[Program, ...]:
        """The original, and the rewrite where there is one."""
        return (self.before,) if self.after is None else (self.before, self.after)

    def heading(self, program: Program) -> str:
        """What a column of figures is called."""
        return "measured" if self.after is None else program.label

    @property
    def average_gain(self) -> float | None:
        """T_avg of the original over that of the rewrite, at the failure rates of the calls."""
        old = self.before.ledger.average_us
        new = self.after.ledger.average_us if self.after else None
        return old / new if old is not None and new else None
