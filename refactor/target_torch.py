"""The oldest torch that rewritten code has to run on: what the project allows, or what is installed."""

from __future__ import annotations

import functools
import importlib.metadata
import re
from collections.abc import Iterable

Version = tuple[int, int]

_TORCH = re.compile(r"torch\s*(?:\[[^\]]*\])?\s*\(?\s*(?P<bounds>[<>=!~][^;]*)", re.IGNORECASE)
_FLOOR = re.compile(r"(?:>=|~=|===?|>)\s*(\d+)\.(\d+)")


def floor(requirements: Iterable[object]) -> str | None:
    """The lowest torch that requirements allow, as "2.6"; None where they say nothing of it.

    Args:
        requirements: as in `[project].dependencies`: "torch>=2.6,<3; python_version < '3.13'".
    """
    found: list[Version] = []
    for requirement in requirements:
        match = _TORCH.match(str(requirement).strip())
        bounds = _FLOOR.findall(match["bounds"]) if match else []
        found += [(int(major), int(minor)) for major, minor in bounds]
    return "{}.{}".format(*max(found)) if found else None


def parsed(text: str) -> Version:
    """The version that "2.10", "2.10.1" or "2.10.0+cpu" stands for."""
    major, minor = text.split(".")[:2]
    return int(major), int(re.match(r"\d+", minor)[0])  # type: ignore[index]


@functools.cache
def installed() -> Version | None:
    """The torch beside the tool, which is not imported for it; None where there is none."""
    try:
        return parsed(importlib.metadata.version("torch"))
    except (importlib.metadata.PackageNotFoundError, ValueError, TypeError):
        return None
