"""The parent's side of `explain`: has a program recorded and timed in child processes. Imports no torch."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TypeVar

import msgspec

from .launch import asked
from .ledger import Recorded, Timings
from .verdict import Request

Answer = TypeVar("Answer", Recorded, Timings)


class MeasureError(Exception):
    """A program cannot be measured; the text is one line for the user."""


@dataclass(frozen=True)
class Measured:
    """The original and its rewrite, recorded in a process each, and timed in turn in one.

    Attributes:
        after: None where there is no rewrite, or it cannot be run.
        timings: None where nothing could be timed.
        notes: why something is missing.
    """

    before: Recorded
    after: Recorded | None
    timings: Timings | None
    notes: tuple[str, ...] = ()


def measure(request: Request) -> Measured:
    """Record and time both texts of a request; the rewrite where it is another text than the original.

    Raises:
        MeasureError: the original cannot be run.
    """
    before = _ask(request, Recorded, "record", role="old")
    found = msgspec.to_builtins(before.found)
    after, notes = None, []
    if request.new != request.old:
        try:
            after = _ask(request, Recorded, "record", role="new", found=found)
        except MeasureError as error:
            notes.append(f"the rewrite was not measured: {error}")
            request = replace(request, new=request.old)
    left_out = sorted({*before.raised, *(after.raised if after else ())})
    try:
        timings = _ask(request, Timings, "time", found=found, left_out=left_out)
    except MeasureError as error:
        notes.append(f"no call was timed: {error}")
        timings = None
    return Measured(before, after, timings, tuple(notes))


def _ask(request: Request, kind: type[Answer], task: str, **more: object) -> Answer:
    answer, reason = asked(request, task, **more)
    if not answer:
        raise MeasureError(reason)
    plain = json.loads(answer)
    if "error" in plain:
        raise MeasureError(plain["error"])
    return msgspec.convert(plain, kind)
