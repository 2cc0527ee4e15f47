"""The settings that govern an open file, read again when a `pyproject.toml` above it changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..codes import META
from ..config import KEYS, Config, Resolver
from ..engine import Options
from ..errors import UserError
from ..work import options_for

_Print = tuple[tuple[str, int, int], ...]


class Settings:
    """Answers with options; while a settings file is wrong, with the last ones that were right."""

    def __init__(self) -> None:
        self._overrides: dict[str, Any] = {}
        self._known: dict[Path, tuple[_Print, Config | UserError]] = {}
        self._good: dict[Path, Config] = {}

    def override(self, given: Mapping[str, Any]) -> None:
        """Take the editor's own settings, which win over those of files; unknown keys are left out.

        Raises:
            UserError: a value of the wrong type.
        """
        table = {key: value for key, value in given.items() if key in KEYS}
        Resolver(isolated=True, overrides=table).for_folder(Path.cwd())
        self._overrides = table
        self._known.clear()

    def options(self, path: Path) -> tuple[Options | None, UserError | None]:
        """The options for a file without running anything, and what is wrong with its settings.

        The options are None where the settings were never right.
        """
        folder = path.parent
        found = self._config(folder)
        error = found if isinstance(found, UserError) else None
        config = self._good.get(folder) if isinstance(found, UserError) else found
        if config is None:
            return None, error
        try:
            options = options_for(path, config, _codes())
        except UserError as wrong:
            return None, error or wrong
        self._good[folder] = config
        # The editor rewrites on static facts, with safe fixes; verification is a command of its own.
        return replace(options, verify="off", unsafe_fixes=False), error

    def config(self, path: Path) -> Config | None:
        """The settings of a file, None where they were never right."""
        found = self._config(path.parent)
        return self._good.get(path.parent) if isinstance(found, UserError) else found

    def _config(self, folder: Path) -> Config | UserError:
        seen = _fingerprint(folder)
        known = self._known.get(folder)
        if known is None or known[0] != seen:
            try:
                known = seen, Resolver(overrides=self._overrides).for_folder(folder)
            except UserError as error:
                known = seen, error
            self._known[folder] = known
        return known[1]


def _codes() -> tuple[str, ...]:
    from ..transforms.rule import registry

    return (*registry(), META)


def _fingerprint(folder: Path) -> _Print:
    """Which settings files there are above a folder, and when each was written."""
    seen = []
    for parent in (folder, *folder.parents):
        file = parent / "pyproject.toml"
        try:
            status = file.stat()
        except OSError:
            continue
        seen.append((str(file), status.st_mtime_ns, status.st_size))
    return tuple(seen)
