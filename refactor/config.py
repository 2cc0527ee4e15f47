"""`[tool.refactor]`: the settings, where each one comes from, and which file each source file is governed by."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec

from .errors import UserError, suggestion
from .target_torch import floor

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

Positive = Annotated[int, msgspec.Meta(ge=1)]
DEFAULT_EXCLUDES = (
    *(".bzr", ".direnv", ".eggs", ".git", ".git-rewrite", ".hg", ".ipynb_checkpoints", ".mypy_cache", ".nox"),
    *(".pants.d", ".pyenv", ".pytest_cache", ".pytype", ".ruff_cache", ".svn", ".tox", ".venv", ".vscode"),
    *("__pypackages__", "_build", "buck-out", "build", "dist", "node_modules", "site-packages", "venv"),
)


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """What can be called to exercise the files that `path` (a glob, relative to the configuration file) names.

    `factory` and `inputs` are `NAME` in the file itself, or `FILE:NAME`.
    """

    path: str
    factory: str
    inputs: str | None = None


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab"):
    """Every setting with its default; `timeout` is in seconds per run, `memory` in MB beyond torch's own.

    `target_torch` is the oldest torch that rewritten code has to run on: by default what `[project].dependencies` of
    the nearest project allow, else what is installed.
    """

    select: tuple[str, ...] = ("ALL",)
    ignore: tuple[str, ...] = ()
    per_file_ignores: dict[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    exclude: tuple[str, ...] = DEFAULT_EXCLUDES
    extend_exclude: tuple[str, ...] = ()
    respect_gitignore: bool = True
    output_format: Literal["full", "concise", "json", "github", "sarif", "gitlab", "junit"] = "full"
    show_fixes: bool = False
    unsafe_fixes: bool = False
    jobs: Annotated[int, msgspec.Meta(ge=0)] = 0
    max_unroll: Positive = 8
    max_unrolled_lines: Positive = 40
    max_flags: Positive = 3
    target_torch: Annotated[str, msgspec.Meta(pattern=r"^\d+\.\d+(\.\d+)*$")] | None = None
    verify: Literal["off", "auto", "require"] = "auto"
    seed: Annotated[int, msgspec.Meta(ge=0)] = 0
    examples: Positive = 60
    timeout: Annotated[float, msgspec.Meta(gt=0)] = 120.0
    memory: Positive = 4096
    network: bool = False
    backends: tuple[str, ...] = ("eager",)
    entry: tuple[Entry, ...] = ()


# What a nearer layer leaves out is left out besides, not instead.
_ADDED = ("ignore", "extend-exclude")
KEYS = tuple(field.encode_name for field in msgspec.structs.fields(Settings))


@dataclass(frozen=True)
class Config:
    """The settings in force for a file.

    Attributes:
        root: the folder that globs and `FILE:NAME` are relative to.
        origin: where each key that is not a default was set.
    """

    settings: Settings = field(default_factory=Settings)
    root: Path = field(default_factory=Path.cwd)
    origin: dict[str, str] = field(default_factory=dict)


def parse(text: str, path: object) -> dict[str, Any]:
    """Read TOML text.

    Raises:
        UserError: it is not TOML.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"at line (\d+)", str(error))
        raise UserError(f"not valid TOML: {error}", path, int(line[1]) if line else None) from None


def convert(table: dict[str, Any], path: object, text: str = "") -> Settings:
    """Turn a `[tool.refactor]` table into settings.

    Raises:
        UserError: an unknown key, or a value of the wrong type.
    """
    for key in table:
        if key not in KEYS:
            raise UserError(f"unknown setting `{key}`{suggestion(key, KEYS)}", path, _line_of(key, text))
    try:
        return msgspec.convert(table, Settings)
    except msgspec.ValidationError as error:
        message, _, place = str(error).partition(" - at `$.")
        key = re.split(r"[.\[`]", place)[0]
        name = place.rstrip("`").replace("[...]", "") or "[tool.refactor]"
        words = _choices(key) or f"{message[:1].lower()}{message[1:]}"
        raise UserError(f"`{name}`: {words}", path, _line_of(key, text)) from None


def _choices(key: str) -> str:
    """What a setting with a fixed set of values takes, empty for any other."""
    kinds = {known.encode_name: known.type for known in msgspec.structs.fields(Settings)}
    values = get_args(kinds.get(key)) if get_origin(kinds.get(key)) is Literal else ()
    return f"expected one of {', '.join(values)}" if values else ""


def _line_of(key: str, text: str) -> int | None:
    """The line that a key of the section is set on, where it can be told."""
    section = re.search(r"^\s*\[\[?tool\.refactor", text, re.MULTILINE)
    start = section.start() if section else 0
    found = re.search(
        rf"""^[ \t]*(?:\[\[?tool\.refactor\.)?["']?{re.escape(key)}["']?[ \t]*[=.\]]""", text[start:], re.MULTILINE
    )
    return text.count("\n", 0, start + found.start()) + 1 if found else None


class Resolver:
    """Answers which settings govern a file: command line, then `--config`, then the nearest `pyproject.toml`.

    Args:
        config: the values of `--config`: at most one file, and inline `key = value` pairs.
        isolated: read no configuration file at all.
        overrides: settings given as command line options, by key.

    Raises:
        UserError: an inline pair that is not TOML, a missing or wrong file.
    """

    def __init__(
        self, config: tuple[str, ...] = (), isolated: bool = False, overrides: dict[str, Any] | None = None
    ) -> None:
        self._isolated = isolated
        self._inline: dict[str, Any] = {}
        self._file: Path | None = None
        self._overrides = overrides or {}
        self._files: dict[tuple[Path, str], Path | None] = {}
        self._contents: dict[Path, tuple[dict[str, Any], str]] = {}
        self._configs: dict[Path, Config] = {}
        for value in config:
            self._take(value)
        if isolated and self._file is not None:
            raise UserError("`--isolated` reads no file, so `--config FILE` cannot go with it")
        convert(self._inline, "--config")

    def _take(self, value: str) -> None:
        if Path(value).is_file():
            if self._file is not None:
                raise UserError("`--config` takes one file only")
            self._file = Path(value)
        elif "=" in value:
            table = parse(value, "--config")
            self._inline.update(table.get("tool", {}).get("refactor", table))
        else:
            raise UserError(f"`--config` takes a file or `key = value`, and there is no file {value}")

    def for_file(self, path: Path) -> Config:
        """The settings for one source file."""
        return self.for_folder(path.parent)

    def for_folder(self, folder: Path) -> Config:
        """The settings for the files of one folder."""
        folder = Path(os.path.abspath(folder))  # noqa: PTH100
        if folder not in self._configs:
            self._configs[folder] = self._resolve(folder)
        return self._configs[folder]

    def _nearest(self, folder: Path, section: str) -> Path | None:
        """The nearest `pyproject.toml` upwards that has something in a section, `tool.refactor` or `project`."""
        key = (folder, section)
        if key not in self._files:
            candidate = folder / "pyproject.toml"
            if os.path.isfile(candidate) and _section(self._read(candidate)[0], section):  # noqa: PTH113  # says no where it may not look
                self._files[key] = candidate
            else:
                self._files[key] = None if folder.parent == folder else self._nearest(folder.parent, section)
        return self._files[key]

    def _read(self, file: Path) -> tuple[dict[str, Any], str]:
        """What a file holds, and its text."""
        if file not in self._contents:
            try:
                text = file.read_text("utf-8")
            except (OSError, UnicodeDecodeError) as error:
                raise UserError(f"cannot be read: {error}", file) from None
            self._contents[file] = (parse(text, file), text)
        return self._contents[file]

    def _resolve(self, folder: Path) -> Config:
        file = self._file or (None if self._isolated else self._nearest(folder, "tool.refactor"))
        table: dict[str, Any] = {}
        origin: dict[str, str] = {}
        root = Path.cwd()
        if file is not None:
            data, text = self._read(file)
            # A file that is named, and has another name, may hold the keys at its top.
            bare = "refactor" not in data.get("tool", {}) and file.name != "pyproject.toml"
            table = data if bare else _section(data, "tool.refactor")
            convert(table, file, text)
            root = file.parent.absolute()
            origin = {key: f"{file}:{_line_of(key, text) or 1}" for key in table}
        if not self._isolated and "target-torch" not in table:
            project = self._nearest(folder, "project")
            described = _section(self._read(project)[0], "project") if project is not None else None
            listed = described.get("dependencies") if isinstance(described, dict) else None
            said = floor(listed) if isinstance(listed, list) else None
            if said is not None:
                table, origin = {**table, "target-torch": said}, {**origin, "target-torch": str(project)}
        for layer, name in ((self._inline, "--config"), (self._overrides, "command line")):
            added = {key: (*table.get(key, ()), *layer[key]) for key in _ADDED if key in layer}
            table = {**table, **layer, **added}
            origin |= dict.fromkeys(layer, name)
        return Config(convert(table, "command line"), root, origin)


def _section(data: Any, name: str) -> Any:
    """A table by its dotted name; empty where there is none."""
    for key in name.split("."):
        data = data.get(key, {})
    return data
