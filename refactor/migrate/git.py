"""Git, called so that neither the repository nor anybody's configuration has a say in what runs."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ..errors import UserError
from .process import run

BRANCH = "refactor/migrate"
# A remote that asks for a password would wait for ever; LFS and other filters are programs; `ext::` runs commands.
_CLEAN = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "true",
    "GIT_LFS_SKIP_SMUDGE": "1",
    "GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh",
    "GIT_OPTIONAL_LOCKS": "0",
    "LC_ALL": "C",
}
_SETTINGS = (
    *("-c", f"core.hooksPath={os.devnull}", "-c", "core.fsmonitor=false", "-c", "core.attributesFile=" + os.devnull),
    *("-c", "core.autocrlf=false", "-c", "core.symlinks=true", "-c", "core.quotePath=true", "-c", "gc.auto=0"),
    *("-c", "submodule.recurse=false", "-c", "commit.gpgSign=false", "-c", "advice.detachedHead=false"),
    *("-c", "user.name=torch-refactor", "-c", "user.email=torch-refactor@localhost", "-c", "safe.directory=*"),
)
# Takes precedence over every .gitattributes: bytes on disk are the bytes of the blob.
_ATTRIBUTES = "* -text -eol -ident -filter -working-tree-encoding -diff\n*.py diff\n"
_TIMEOUT_S = 1800.0


class GitError(UserError):
    """Git failed; `transient` says that trying again may help."""

    def __init__(self, message: str, transient: bool = False) -> None:
        super().__init__(message)
        self.transient = transient

    def __reduce__(self) -> tuple[type[GitError], tuple[str, bool]]:
        return type(self), (self.message, self.transient)


@dataclass(frozen=True)
class Checkout:
    """A working tree of our own.

    Attributes:
        root: its folder.
        revision: the commit of the source; empty where the source is a folder without history.
    """

    root: Path
    revision: str

    def git(self, *arguments: str, clean: bool = True) -> bytes:
        """Run git in it; see `git`."""
        return git(*arguments, cwd=self.root, clean=clean)

    def restore(self) -> None:
        """Undo what a command did to the files of the commit; what it made besides stays."""
        self.git("reset", "--quiet", "--hard", "HEAD")

    def patches(self, paths: Iterable[str]) -> tuple[bytes, bytes]:
        """What was changed in some files since the checkout, and the inverse, for `git apply`."""
        wanted = [f":(top,literal){path}" for path in paths]
        if not wanted:
            return b"", b""
        form = ("diff", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--binary", "--src-prefix=a/")
        options = (*form, "--dst-prefix=b/")
        return self.git(*options, "HEAD", "--", *wanted), self.git(*options, "-R", "HEAD", "--", *wanted)


def git(*arguments: str, cwd: Path, clean: bool = True, tied: bool = False) -> bytes:
    """Run git and return what it prints.

    Args:
        arguments: the command and its arguments.
        cwd: where to run it.
        clean: without anybody's configuration, hooks, filters and prompts.
        tied: it ends with this process; for what waits for a remote or runs hooks.

    Raises:
        GitError: it failed, took too long, or is not installed.
    """
    kept = () if clean else ("GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_CONFIG_")
    variables = {k: value for k, value in os.environ.items() if not k.startswith("GIT_") or k.startswith(kept)}
    command = ["git", *(_SETTINGS if clean else ()), *arguments]
    try:
        done = run(command, cwd, variables | (_CLEAN if clean else {}), _TIMEOUT_S, tied=tied or not clean)
    except FileNotFoundError:
        raise GitError("git is not installed") from None
    except subprocess.TimeoutExpired:
        raise GitError(f"`git {arguments[0]}` took longer than {_TIMEOUT_S:g} s", transient=True) from None
    if done.returncode != 0:
        raise GitError(f"`git {arguments[0]}` failed: {_reason(done.stderr)}", _is_transient(done.stderr))
    return done.stdout


def _reason(stderr: bytes) -> str:
    lines = [line for line in stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    told = [line for line in lines if line.startswith(("fatal:", "error:"))]
    return (told or lines or ["it says nothing"])[0]


_TRANSIENT = (
    *(b"Could not resolve host", b"unable to access", b"Connection", b"timed out", b"early EOF", b"RPC failed"),
    *(b"Could not read from remote repository", b"unable to connect", b"The requested URL returned error: 5"),
)


def _is_transient(stderr: bytes) -> bool:
    return any(words in stderr for words in _TRANSIENT)


def checkout(source: str, revision: str, root: Path) -> Checkout:
    """Make a working tree of a source; the source itself is only read.

    Args:
        source: a folder, with or without a repository in it, or what `git clone` takes.
        revision: a branch, tag or commit; empty for the source's HEAD.
        root: the folder to make.

    Raises:
        GitError: the source cannot be cloned, or has no such revision.
    """
    if source.startswith("-") or revision.startswith("-"):
        raise GitError(f"expected a folder or a git URL and a revision, got `{source}` `{revision}`")
    folder = Path(source).expanduser()
    if folder.is_dir() and not _is_repository(folder):
        if revision:
            raise GitError(f"`{source}` is no git repository, so it has no revision `{revision}`")
        return _copied(folder, root)
    if not folder.is_dir() and not _is_remote(source) and not folder.is_file():
        raise GitError(f"`{source}` is neither a folder nor a git URL")
    where = str(folder.absolute()) if folder.exists() else source
    root.parent.mkdir(parents=True, exist_ok=True)
    options = ("--no-tags", "--no-recurse-submodules", *_template(root), *(["--no-checkout"] if revision else []))
    git("clone", *options, "--", where, str(root), cwd=root.parent, tied=not folder.exists())
    if not revision:
        commit = _commit(root, "HEAD")
        if commit is None:
            raise GitError(f"`{source}` has no commit")
        return Checkout(root, commit)
    commit = _commit(root, revision) or _commit(root, f"origin/{revision}")
    if commit is None:
        git("fetch", "--no-tags", "origin", revision, cwd=root, tied=True)
        commit = _commit(root, "FETCH_HEAD")
    git("checkout", "--detach", "--force", commit or "FETCH_HEAD", "--", cwd=root)
    return Checkout(root, commit or "")


def _commit(root: Path, revision: str) -> str | None:
    """The commit that a revision names; None where it names none."""
    try:
        name = git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}", cwd=root)
    except GitError:
        return None
    return name.decode().strip()


def _is_repository(folder: Path) -> bool:
    bare = (folder / "HEAD").is_file() and (folder / "objects").is_dir()
    return bare or (folder / ".git").exists()


def _is_remote(source: str) -> bool:
    scheme, mark, _ = source.partition("://")
    host, colon, _ = source.partition(":")
    return (bool(mark) and scheme in ("http", "https", "ssh", "git", "file")) or bool(
        colon and not mark and "/" not in host and "::" not in source
    )


def _template(root: Path) -> tuple[str, ...]:
    """The option that makes a repository with our attributes from the start, and without sample hooks."""
    folder = root.with_name(f"{root.name}.template")
    (folder / "info").mkdir(parents=True, exist_ok=True)
    (folder / "info" / "attributes").write_text(_ATTRIBUTES)
    return (f"--template={folder}",)


def _copied(folder: Path, root: Path) -> Checkout:
    """A folder without history, as a repository with one commit; what is no file, folder or symlink is left out."""

    def special(where: str, names: list[str]) -> list[str]:
        return [name for name in names if _is_special(Path(where) / name) or name == ".git"]

    try:
        shutil.copytree(folder, root, symlinks=True, ignore=special)
    except (OSError, shutil.Error) as error:
        raise GitError(f"`{folder}` cannot be copied: {str(error).splitlines()[0]}") from None
    git("init", "--quiet", *_template(root), cwd=root)
    # What a stray ignore file names is part of the folder all the same.
    git("add", "--all", "--force", "--", ".", cwd=root)
    git("commit", "--quiet", "--allow-empty", "--no-verify", "--message=as it was", cwd=root)
    return Checkout(root, "")


def _is_special(path: Path) -> bool:
    mode = path.lstat().st_mode
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode))
