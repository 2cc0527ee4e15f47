"""Rule codes on the command line and in settings: prefixes, unknown ones, and those ignored for a file."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import pathspec

from .config import Config
from .errors import UserError, suggestion

META = "TR900"


def expand(selectors: Iterable[str], codes: Iterable[str], path: object = None) -> frozenset[str]:
    """The codes that selectors (`ALL`, `TR101`, or a prefix like `TR1`) name.

    Raises:
        UserError: a selector that names no rule.
    """
    known = sorted({*codes, META})
    chosen: set[str] = set()
    for selector in (part.strip() for item in selectors for part in item.split(",")):
        matching = known if selector == "ALL" else [code for code in known if selector and code.startswith(selector)]
        if not matching:
            raise UserError(f"no rule is called `{selector}`{suggestion(selector.upper(), known)}", path)
        chosen.update(matching)
    return frozenset(chosen)


def chosen(config: Config, path: Path, codes: Iterable[str]) -> frozenset[str]:
    """The codes that are looked for in one file."""
    settings = config.settings
    codes = tuple(codes)
    picked = expand(settings.select, codes, config.origin.get("select"))
    picked -= expand(settings.ignore, codes, config.origin.get("ignore"))
    for glob, ignored in settings.per_file_ignores.items():
        if matches(glob, path, config.root):
            picked -= expand(ignored, codes, config.origin.get("per-file-ignores"))
    return picked


def matches(glob: str, path: Path, root: Path) -> bool:
    """True where a glob names a file, by gitignore's rules: a bare name matches in any folder below `root`."""
    try:
        relative = Path(os.path.abspath(path)).relative_to(root).as_posix()  # noqa: PTH100
    except ValueError:
        relative = path.name
    return pathspec.GitIgnoreSpec.from_lines([glob]).match_file(relative)
