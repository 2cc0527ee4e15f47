"""What is to be migrated: folders, git URLs, and list files, read lazily however long they are."""

from __future__ import annotations

import csv
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ..errors import UserError, suggestion
from .model import Origin

LISTS = frozenset({".csv", ".yaml", ".yml"})
# What a line of a list may say of one repository besides; the names are those of the command line.
SETTINGS = ("factory", "inputs", "select", "ignore", "trace", "test", "python", "install", "verify")
_COLUMNS = ("name", "url", "revision", *SETTINGS)


def origins(sources: Iterable[str], shard: tuple[int, int] = (1, 1)) -> Iterator[Origin]:
    """The repositories that sources stand for, one after another, each with a name of its own.

    Args:
        sources: folders, git URLs, and list files (`.csv`, `.yaml`).
        shard: (I, N): every N-th repository only, from the I-th on; I counts from 1.

    Raises:
        UserError: a list file that cannot be read, or a line of it that is wrong.
    """
    part, parts = shard
    # Hashes instead of texts: a list may be long, and this is all that stays of it.
    taken: dict[int, int] = {}
    seen: set[int] = set()
    for origin in _all(sources):
        key = hash((origin.source, origin.revision))
        if key in seen:
            continue
        seen.add(key)
        name = _slug(origin.name or _base(origin.source))
        if taken.setdefault(hash(name.casefold()), key) != key:
            text = f"{origin.source} {origin.revision}"
            name = f"{name}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"
        if (len(seen) - 1) % parts == part - 1:
            yield Origin(name, origin.source, origin.revision, origin.settings)


def _all(sources: Iterable[str]) -> Iterator[Origin]:
    for source in sources:
        path = Path(source)
        if path.suffix.lower() in LISTS and path.is_file():
            yield from (_origin(line, row, path) for line, row in _rows(path))
        else:
            yield Origin("", source)


def _base(source: str) -> str:
    return Path(source.rstrip("/").removesuffix(".git")).name or Path(source).absolute().name


def _slug(name: str) -> str:
    return re.sub(r"[^\w.-]+", "-", name).strip("-.") or "repository"


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The lines of a list file, each with its 1-based number."""
    try:
        if path.suffix.lower() == ".csv":
            with path.open(newline="", encoding="utf-8") as stream:
                reader = csv.DictReader(stream)
                for row in reader:
                    yield reader.line_num, {key: value for key, value in row.items() if value}
        else:
            yield from _documents(path)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UserError(f"cannot be read: {error}", path) from None


def _documents(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The items of a YAML list. A list of ten thousand is some megabytes, so it is read whole."""
    import yaml

    try:
        root = yaml.compose(path.read_text("utf-8"), Loader=yaml.SafeLoader)
        nodes = root.value if isinstance(root, yaml.SequenceNode) else []
        items = [yaml.SafeLoader("").construct_object(node, deep=True) for node in nodes]
    except yaml.YAMLError as error:
        raise UserError(f"not valid YAML: {' '.join(str(error).split())}", path) from None
    if root is not None and not isinstance(root, yaml.SequenceNode):
        raise UserError("expected a list of repositories", path, root.start_mark.line + 1)
    for node, value in zip(nodes, items, strict=True):
        yield node.start_mark.line + 1, {"url": value} if isinstance(value, str) else value


def _origin(line: int, row: Any, path: Path) -> Origin:
    if not isinstance(row, Mapping) or not all(isinstance(value, (str, int, float)) for value in row.values()):
        raise UserError(f"expected {', '.join(_COLUMNS[:3])} and their like, got {row!r}", path, line)
    unknown = [str(key) for key in row if key not in _COLUMNS]
    if unknown:
        known = ", ".join(_COLUMNS)
        raise UserError(f"no such column `{unknown[0]}`{suggestion(unknown[0], _COLUMNS)}; known: {known}", path, line)
    if not row.get("url"):
        raise UserError("expected a url", path, line)
    url = str(row["url"])
    # A folder is meant as seen from the list.
    beside = path.parent / url
    source = str(beside) if "://" not in url and beside.exists() else url
    settings = tuple((key, str(row[key])) for key in SETTINGS if row.get(key))
    return Origin(str(row.get("name", "")), source, str(row.get("revision", "")), settings)
