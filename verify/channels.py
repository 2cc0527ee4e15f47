"""What a block of user code says: prints, log records and warnings, in the order in which they appear."""

from __future__ import annotations

import contextlib
import io
import logging
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar, cast

import torch

from .snapshot import Facts

_F = TypeVar("_F", bound=Callable[..., Any])
_COMPILER = tuple(
    str(Path(torch.__file__).parent / part)
    for part in ("_dynamo", "_functorch", "_guards", "_higher_order_ops", "_inductor", "_subclasses", "fx")
)


def _untraced(function: _F) -> _F:
    """Dynamo meets such functions as callees of user code that broke the graph; they are no part of it.

    Where Dynamo is not loaded nothing is compiled, and loading it takes as long as torch itself.
    """
    if "torch._dynamo" not in sys.modules:
        return function
    return cast(_F, torch._dynamo.disable(function))  # type: ignore[no-untyped-call]


class Channels(logging.Handler):
    """Records prints, log records and warnings of a block.

    Args:
        filename: the file of the text that is run.
        canonical: turns private names in texts into the user's.
    """

    def __init__(self, filename: str, canonical: Callable[[str], str]) -> None:
        super().__init__(logging.NOTSET)
        # Each with the place that it is ascribed to, where it has one.
        self.events: list[tuple[tuple[str, ...], str]] = []
        self._filename, self._canonical = filename, canonical
        self.emit = _untraced(self.emit)  # type: ignore[method-assign]
        self.warn = _untraced(self.warn)  # type: ignore[method-assign]
        self.write = _untraced(self.write)  # type: ignore[method-assign]

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a log record of user code."""
        if record.name.split(".")[0] != "torch":
            parts = ("log", self._canonical(record.name), record.levelname, self._canonical(record.getMessage()))
            error = record.exc_info[1] if record.exc_info else None
            told = () if error is None else (f"with {type(error).__name__}: {self._canonical(str(error))}",)
            self.events.append(((*parts, *told), ""))

    def warn(self, message: Warning | str, category: type[Warning], filename: str, *_: Any) -> None:
        """Keep a warning that is not the compiler's own; takes the arguments of `warnings.showwarning`."""
        if filename.startswith(_COMPILER):
            return
        place = "the file itself" if filename == self._filename else "its caller"
        self.events.append((("warning", category.__name__, self._canonical(str(message))), place))

    def write(self, channel: str, text: str) -> None:
        """Keep printed text; neighbouring pieces are joined."""
        if self.events and self.events[-1][0][0] == channel:
            text = self.events.pop()[0][1] + text
        self.events.append(((channel, text), ""))

    @contextlib.contextmanager
    def open(self) -> Iterator[None]:
        """Capture until the block ends."""
        root = logging.getLogger()
        existing = [item for item in root.manager.loggerDict.values() if isinstance(item, logging.Logger)]
        listening = [root, *(item for item in existing if not item.propagate and item.name.split(".")[0] != "torch")]
        for logger in listening:
            logger.addHandler(self)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("always")
                warnings.showwarning = cast(Any, self.warn)
                out, err = _Stream(self, "stdout"), _Stream(self, "stderr")
                with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                    yield
        finally:
            for logger in listening:
                logger.removeHandler(self)

    def record(self, facts: Facts, path: str) -> None:
        """Put the events under `path` and forget them."""
        for index, ((channel, *texts), place) in enumerate(self.events):
            facts[f"{path}.emitted[{index}]"] = (channel, *(self._canonical(text) for text in texts))
            if place:
                facts[f"{path}.emitted[{index}].ascribed to"] = place
        facts[f"{path}.emitted"] = f"{len(self.events)} events"
        self.events = []


class _Stream(io.TextIOBase):
    def __init__(self, channels: Channels, channel: str) -> None:
        self._channels, self._channel = channels, channel
        self.write = _untraced(self.write)  # type: ignore[method-assign]

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self._channels.write(self._channel, text)
        return len(text)
