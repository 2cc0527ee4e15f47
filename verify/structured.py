"""Listens to Dynamo's structured trace, the records of the logger `torch.__trace`; needs nothing but Python.

Facts about the records: rewrite facts, section 10. The one meter and the recorder of runs both listen here.
"""

from __future__ import annotations

import contextlib
import json
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

LOGGER = "torch.__trace"

# (frame id, number of the compilation of that frame); None where a record stands outside of any compilation.
Key: TypeAlias = tuple[Any, Any]


@dataclass(frozen=True, slots=True)
class Began:
    """The compilation of a frame began."""

    key: Key


@dataclass(frozen=True, slots=True)
class Broke:
    """Tracing was cut, or gave up, in user code; `text` is everything that Dynamo says."""

    key: Key
    text: str


@dataclass(frozen=True, slots=True)
class Failed:
    """Guards failed, one text per entry of the cache, the most recent entry first."""

    key: Key
    guards: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Captured:
    """A graph was handed to the backend; `text` is its code."""

    key: Key
    text: str


@dataclass(frozen=True, slots=True)
class Finished:
    """The compilation of a frame came to its end, or gave the frame up."""

    key: Key
    metrics: dict[str, Any]

    @property
    def failure(self) -> str:
        """Why the frame was given up; empty where it was not."""
        return str(self.metrics.get("fail_reason") or "")

    @property
    def has_code(self) -> bool:
        """False where nothing went into the cache, as far as the release tells."""
        return self.metrics.get("has_guarded_code") is not False

    @property
    def limited(self) -> bool:
        """True where the frame was compiled too often."""
        return "recompile limit" in self.failure or "recompile_limit" in self.failure


Event: TypeAlias = Began | Broke | Failed | Captured | Finished


def event(record: logging.LogRecord) -> Event | None:
    """What a record says; None for what nobody here asks for."""
    data = getattr(record, "metadata", None) or {}
    payload = getattr(record, "payload", None)
    text = payload if isinstance(payload, str) else ""
    key = (data.get("frame_id"), data.get("frame_compile_id"))
    name = (data.get("artifact") or {}).get("name")
    if name in ("dynamo_graph_break_reason", "dynamo_error"):
        return Broke(key, text)
    if name == "recompile_reasons":
        return Failed(key, _guards(text))
    if "dynamo_start" in data:
        return Began(key)
    if "dynamo_output_graph" in data:
        return Captured(key, text)
    if "compilation_metrics" in data:
        return Finished(key, data["compilation_metrics"])
    return None


class Listener(logging.Handler):
    """Hands the events of the structured trace to `hear` while it is attached."""

    def __init__(self, hear: Callable[[Event], None]) -> None:
        super().__init__(logging.DEBUG)
        self._hear = hear

    def emit(self, record: logging.LogRecord) -> None:
        """Hand on what the record says."""
        heard = event(record)
        if heard is not None:
            self._hear(heard)

    @contextlib.contextmanager
    def attached(self) -> Iterator[None]:
        """Listen until the block ends."""
        logger = logging.getLogger(LOGGER)
        level = logger.level
        logger.addHandler(self)
        logger.setLevel(logging.DEBUG)
        try:
            yield
        finally:
            logger.removeHandler(self)
            logger.setLevel(level)


def _guards(text: str) -> tuple[str, ...]:
    """The payload is a text, or a JSON list of texts, by release."""
    with contextlib.suppress(ValueError):
        data = json.loads(text)
        if isinstance(data, list):
            return tuple(str(item) for item in data)
    return (text,)
