"""The machine-readable formats by the names that `--output-format` takes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from . import github, gitlab, junit, sarif
from .remark import Remark

WRITERS: Mapping[str, Callable[[Iterable[Remark]], str]] = {
    "github": github.document,
    "sarif": sarif.document,
    "gitlab": gitlab.document,
    "junit": junit.document,
}
