"""What recorded runs showed of one file, as far as rules may rely on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True, slots=True)
class Seen:
    """What a parameter was in all recorded calls of its function.

    Attributes:
        kinds: `tensor`, `None`, the name of a plain type (`int`, `float`, `bool`, `str`), or `other`.
        sizes: the dimensions along which its size differed.
        varies: whether a plain value differed.
    """

    kinds: frozenset[str]
    sizes: tuple[int, ...] = ()
    varies: bool = False


@dataclass(frozen=True, slots=True)
class Calls:
    """The recorded calls of a function.

    Attributes:
        count: how many there were.
        root: whether it was compiled itself, called from code that was not.
        parameters: by name.
    """

    count: int
    root: bool
    parameters: Mapping[str, Seen]


@dataclass(frozen=True, slots=True)
class Observed:
    """What recorded runs showed of one file, in terms of its text as it was then.

    Attributes:
        calls: by qualified name of the function.
        key: what tells one from another; comparing the rest would take long.
    """

    calls: Mapping[str, Calls] = field(default_factory=lambda: MappingProxyType({}), compare=False)
    key: str = ""

    def __reduce__(self) -> Any:
        return (Observed, (dict(self.calls), self.key))
