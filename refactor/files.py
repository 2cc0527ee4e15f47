"""Which files a path stands for, and reading and writing them without losing a byte."""

from __future__ import annotations

import contextlib
import functools
import io
import os
import shutil
import stat
import tempfile
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pathspec

from .config import Resolver
from .errors import UserError

SUFFIXES = (".py", ".ipynb")


@dataclass(frozen=True)
class File:
    """A source file as read: `text` keeps line endings and a byte order mark, and encodes back to `data` exactly."""

    path: Path
    text: str
    encoding: str
    data: bytes

    def encode(self, text: str) -> bytes:
        """The bytes of a new text in this file's encoding.

        Raises:
            UserError: the encoding lacks a character of it.
        """
        try:
            return text.encode(self.encoding)
        except UnicodeEncodeError as error:
            raise UserError(
                f"the rewritten text cannot be written as {self.encoding}: {error.reason}", self.path
            ) from None


def decode(data: bytes, path: Path) -> File:
    """Decode source as Python would: byte order mark, PEP 263 cookie, else UTF-8.

    Raises:
        UserError: the bytes are not text in the encoding that they declare.
    """
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        # The mark stays in the text, so that offsets and bytes both survive.
        encoding = "utf-8" if encoding == "utf-8-sig" else encoding
        text = data.decode(encoding)
    except (SyntaxError, UnicodeDecodeError, LookupError) as error:
        raise UserError(f"cannot be decoded: {error}", path, _line_of_error(data, error)) from None
    if text.encode(encoding, "replace") != data:
        raise UserError(f"does not survive a round trip through its encoding {encoding}; save it as UTF-8", path)
    return File(path, text, encoding, data)


def _line_of_error(data: bytes, error: Exception) -> int | None:
    return data.count(b"\n", 0, error.start) + 1 if isinstance(error, UnicodeDecodeError) else None


def read(path: Path) -> File:
    """Read one source file.

    Raises:
        UserError: it is missing, unreadable or undecodable.
    """
    return decode(contents(path), path)


def contents(path: Path) -> bytes:
    """The bytes of a source file.

    Raises:
        UserError: it is missing or unreadable, or no file.
    """
    try:
        # A pipe or a device could keep a reader waiting, or never come to an end.
        if not stat.S_ISREG(path.stat().st_mode) and not path.is_dir():
            raise UserError("is not a regular file; give the text on standard input (-) instead", path)
        return path.read_bytes()
    except OSError as error:
        raise UserError(f"cannot be read: {error.strerror}", path) from None


def write(file: File, text: str) -> None:
    """Replace a file's content atomically: another process sees the old bytes or the new ones, nothing between.

    The mode is kept, and a symlink stays one (its target is replaced).

    Raises:
        UserError: the file changed since it was read, or it cannot be written; it is then untouched.
    """
    data = file.encode(text)
    target = Path(os.path.realpath(file.path))
    try:
        if not os.access(target, os.W_OK):
            raise PermissionError(0, "it is read-only")
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
        temporary = Path(name)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            _copy_attributes(target, temporary)
            if target.read_bytes() != file.data:
                raise UserError("changed while it was being rewritten; left alone, run again", file.path)
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise UserError(f"cannot be written: {error.strerror}", file.path) from None


def _copy_attributes(source: Path, target: Path) -> None:
    status = source.stat()
    if hasattr(os, "chown"):
        # Only a privileged user may give files away; for everyone else owner and group are right already.
        with contextlib.suppress(PermissionError):
            os.chown(target, status.st_uid, status.st_gid)
    shutil.copymode(source, target)


def discover(paths: Iterable[Path], resolver: Resolver) -> list[Path]:
    """The Python files and notebooks that paths stand for, in order and once each.

    A file given by name is always taken; folders are walked, less what settings and `.gitignore` files exclude.

    Raises:
        UserError: a path that does not exist.
    """
    found: dict[Path, None] = {}
    for path in paths:
        if path.is_dir():
            found.update(dict.fromkeys(_walk(path, resolver).files(path)))
        elif path.exists():
            found[path] = None
        else:
            raise UserError("no such file or directory", path)
    return list(found)


@dataclass(frozen=True)
class _Walk:
    """A folder that was asked for, and the ignore files that hold in it, each with the folder that it speaks of."""

    top: Path
    resolver: Resolver
    ignores: tuple[tuple[Path, pathspec.GitIgnoreSpec], ...] = ()

    def files(self, folder: Path) -> Iterator[Path]:
        """The files below a folder, by name."""
        here = replace(self, ignores=(*self.ignores, *_ignore_file(folder / ".gitignore")))
        config = self.resolver.for_folder(folder)
        spec = _spec((*config.settings.exclude, *config.settings.extend_exclude))
        # Whoever names a folder wants it, also where a pattern would exclude it from above.
        root = self.top if _matches(spec, self.top, config.root, True) else config.root
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            # Reading it as a file fails for the same reason, and is said without ending the run.
            yield folder
            return
        for entry in entries:
            path, is_folder = folder / entry.name, entry.is_dir(follow_symlinks=False)
            wanted = is_folder or (entry.name.endswith(SUFFIXES) and _is_regular(entry))
            if not wanted or _matches(spec, path, root, is_folder):
                continue
            if config.settings.respect_gitignore and here.ignored(path, is_folder):
                continue
            if is_folder:
                yield from here.files(path)
            else:
                yield path

    def ignored(self, path: Path, is_folder: bool) -> bool:
        """The innermost ignore file that has an opinion decides, as in git."""
        absolute = _absolute(path)
        for base, spec in reversed(self.ignores):
            verdict = spec.check_file(absolute.relative_to(base).as_posix() + "/" * is_folder).include
            if verdict is not None:
                return verdict
        return False


def _is_regular(entry: os.DirEntry[str]) -> bool:
    """True for a file with contents, through links: not for a device, a pipe, a socket, or a link in a circle."""
    try:
        return entry.is_file()
    except OSError:
        return False


@functools.lru_cache(maxsize=64)
def _spec(lines: tuple[str, ...]) -> pathspec.GitIgnoreSpec:
    return pathspec.GitIgnoreSpec.from_lines(lines)


def _matches(spec: pathspec.GitIgnoreSpec, path: Path, root: Path, is_folder: bool) -> bool:
    absolute, root = _absolute(path), _absolute(root)
    # Outside the configuration's folder only a bare name can mean the entry.
    relative = absolute.relative_to(root).as_posix() if absolute.is_relative_to(root) else path.name
    return bool(spec.match_file(relative + "/" * is_folder))


def _ignore_file(path: Path, base: Path | None = None) -> tuple[tuple[Path, pathspec.GitIgnoreSpec], ...]:
    try:
        lines = path.read_text("utf-8", "replace").splitlines()
    except OSError:
        return ()
    return ((_absolute(base or path.parent), pathspec.GitIgnoreSpec.from_lines(lines)),)


def _walk(folder: Path, resolver: Resolver) -> _Walk:
    """A walk that starts with the ignore files above a folder, up to the root of its git repository."""
    found: tuple[tuple[Path, pathspec.GitIgnoreSpec], ...] = ()
    here = _absolute(folder)
    for parent in (here, *here.parents):
        if parent != here:
            found = (*_ignore_file(parent / ".gitignore"), *found)
        if os.path.exists(parent / ".git"):  # noqa: PTH110  # says no where it may not look
            walk = _Walk(folder, resolver, (*_ignore_file(parent / ".git" / "info" / "exclude", parent), *found))
            # Whoever names an ignored folder wants what is in it.
            return _Walk(folder, resolver) if parent != here and walk.ignored(folder, True) else walk
    return _Walk(folder, resolver)


def _absolute(path: Path) -> Path:
    """Without `..`, which would hide that a path lies below a folder; symlinks stay what the user named."""
    return Path(os.path.abspath(path))  # noqa: PTH100
