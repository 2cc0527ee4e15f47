"""Which files of a checkout are treated, and which are left alone, each by name and with the reason."""

from __future__ import annotations

import collections
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..config import Resolver
from ..errors import UserError
from ..files import discover

_VENDORED = frozenset(
    {"vendor", "vendored", "_vendor", "third_party", "thirdparty", "3rdparty", "extern", "externals"}
    | {"node_modules", "site-packages", "dist-packages"}
)
_GENERATED_NAMES = re.compile(r"(_pb2|_pb2_grpc|_generated|\.gen)\.py$")
_GENERATED = re.compile(rb"@generated|DO NOT EDIT|do not edit|[Gg]enerated by|automatically generated|AUTO-GENERATED")
_POINTER = b"version https://git-lfs.github.com/spec/v1"
_HEAD_BYTES = 1024


@dataclass(frozen=True)
class Survey:
    """The files to treat, and the paths left alone with their reasons; both relative to the root and in order."""

    files: tuple[str, ...]
    left: tuple[tuple[str, str], ...]


def survey(root: Path, max_bytes: int, resolver: Resolver) -> Survey:
    """Look through a checkout.

    Args:
        root: its folder.
        max_bytes: larger files are left alone.
        resolver: says what the repository's own settings exclude.

    Raises:
        UserError: a folder cannot be read, or its settings are wrong.
    """
    left = dict(_strange(root, ""))
    # A folder that is left alone is not entered: a pattern of its own for each keeps the walk out.
    barred = tuple(f"{path}/" for path in left)
    wanted = [str(path.relative_to(root)) for path in discover([root], resolver)]
    files = [path for path in wanted if path not in left and not path.startswith(barred)]
    for path in files:
        reason = _reason(root / path, max_bytes)
        if reason:
            left[path] = reason
    for group in _colliding(files):
        left.update(dict.fromkeys(group, f"differs only by case from {', '.join(sorted(group)[:2])}"))
    shown = tuple(sorted((_printable(path), reason) for path, reason in left.items()))
    return Survey(tuple(path for path in files if path not in left), shown)


def _strange(root: Path, folder: str) -> Iterator[tuple[str, str]]:
    """What no walk over Python files should meet: by path, with the reason."""
    try:
        entries = sorted(os.scandir(root / folder), key=lambda entry: entry.name)
    except OSError as error:
        raise UserError(f"cannot be read: {error.strerror}", folder or ".") from None
    for entry in entries:
        path = f"{folder}/{entry.name}" if folder else entry.name
        if entry.name == ".git":
            continue
        is_folder = entry.is_dir(follow_symlinks=False)
        if _printable(entry.name) != entry.name:
            yield path, "its name has characters that are no text"
        elif entry.is_symlink():
            if entry.name.endswith(".py") or entry.is_dir():
                yield path, _link(root, root / path)
        elif is_folder and (root / path / ".git").exists():
            yield path, "a repository of its own (submodule)"
        elif is_folder and entry.name.lower() in _VENDORED:
            yield path, "vendored code"
        elif is_folder:
            yield from _strange(root, path)
        elif entry.name.endswith(".py") and not entry.is_file(follow_symlinks=False):
            yield path, f"no file but {_kind(root / path)}"


def _link(root: Path, path: Path) -> str:
    inside = Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root))
    return "a symlink; its target is treated under its own name" if inside else "a symlink out of the repository"


def _kind(path: Path) -> str:
    mode = path.lstat().st_mode
    names = {stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device"}
    return names.get(stat.S_IFMT(mode), "something else")


def _reason(path: Path, max_bytes: int) -> str:
    """Why a file is left alone; empty for one that is treated."""
    try:
        size = path.stat().st_size
        with path.open("rb") as stream:
            head = stream.read(_HEAD_BYTES)
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    if head.startswith(_POINTER):
        return "a pointer of Git LFS, not the file itself"
    if size > max_bytes:
        return f"{size} bytes, more than {max_bytes}"
    if _GENERATED_NAMES.search(path.name) or _GENERATED.search(head):
        return "generated code"
    return ""


def _colliding(files: list[str]) -> Iterator[list[str]]:
    groups = collections.defaultdict(list)
    for path in files:
        groups[path.casefold()].append(path)
    return (group for group in groups.values() if len(group) > 1)


def _printable(name: str) -> str:
    """The name as one line of text."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in name)
