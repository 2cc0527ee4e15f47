"""What a user can do wrong, as one clear line each."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class UserError(Exception):
    """A usage, configuration or file error: one line, exit status 2, never a traceback.

    Attributes:
        message: what was expected, what was found, what to do.
        path: the file at fault, as the user named it.
        line: the 1-based line in it.
    """

    def __init__(self, message: str, path: object = None, line: int | None = None) -> None:
        # Every field goes to the base class, so that the error survives the way back from a worker process.
        super().__init__(message, path, line)
        self.message = " ".join(message.split())
        self.path = path
        self.line = line

    def __str__(self) -> str:
        where = [str(part) for part in (self.path, self.line) if part is not None]
        return ": ".join([":".join(where), self.message] if where else [self.message])


def suggestion(word: str, known: Iterable[str]) -> str:
    """` (did you mean `x`?)` for the nearest known word, empty where none is near."""
    near = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f" (did you mean `{near[0]}`?)" if near else ""
