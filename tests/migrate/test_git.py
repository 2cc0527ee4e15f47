"""Checkouts of our own: the source is only read, and nothing of it runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from refactor.migrate.git import GitError, checkout

from .conftest import BRANCH, PLAIN, git, write_all

Make = Callable[..., Path]


def test_the_head_of_a_repository(repository: Make, tmp_path: Path) -> None:
    root = repository({"a.py": BRANCH})
    (root / "a.py").write_text("# not committed\n")
    tree = checkout(str(root), "", tmp_path / "tree")
    assert (tree.root / "a.py").read_text() == BRANCH
    assert tree.revision == git(root, "rev-parse", "HEAD").strip()
    assert (root / "a.py").read_text() == "# not committed\n"


@pytest.mark.parametrize("revision", ["side", "v1", "commit"])
def test_a_revision(repository: Make, tmp_path: Path, revision: str) -> None:
    root = repository({"a.py": BRANCH})
    git(root, "checkout", "--quiet", "-b", "side")
    (root / "a.py").write_text(PLAIN)
    git(root, "commit", "--quiet", "--all", "--message=second")
    git(root, "tag", "v1")
    name = git(root, "rev-parse", "HEAD").strip() if revision == "commit" else revision
    git(root, "checkout", "--quiet", "main")
    tree = checkout(str(root), name, tmp_path / "tree")
    assert (tree.root / "a.py").read_text() == PLAIN


def test_a_folder_without_history(tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    write_all(folder, {"a.py": BRANCH, ".gitignore": "*.py\n", "data/x.bin": b"\0\r\n"})
    tree = checkout(str(folder), "", tmp_path / "tree")
    assert tree.revision == ""
    assert (tree.root / "data/x.bin").read_bytes() == b"\0\r\n"
    (tree.root / "a.py").write_text(PLAIN)
    patch, undo = tree.patches(["a.py"])
    assert b"+    return x * 2" in patch
    assert b"-    return x * 2" in undo
    assert not (folder / ".git").exists()


@pytest.mark.parametrize(
    ("source", "revision", "message"),
    [
        ("--upload-pack=touch", "", "expected a folder or a git URL"),
        ("ext::sh -c touch% x", "", "neither a folder nor a git URL"),
        ("nowhere", "", "neither a folder nor a git URL"),
        ("{root}", "nosuch", "failed"),
        ("{root}", "--help", "expected a folder or a git URL"),
    ],
)
def test_what_is_no_source(repository: Make, tmp_path: Path, source: str, revision: str, message: str) -> None:
    root = repository({"a.py": BRANCH})
    with pytest.raises(GitError, match=message):
        checkout(source.format(root=root), revision, tmp_path / "tree")


def test_nothing_of_the_repository_runs(repository: Make, tmp_path: Path) -> None:
    witness = tmp_path / "witness"
    root = repository(
        {
            "a.py": BRANCH,
            ".gitattributes": "*.py filter=evil diff=evil\n",
            ".gitmodules": '[submodule "s"]\n\tpath = s\n\turl = ../nowhere\n',
        }
    )
    for hook in ("post-checkout", "pre-commit", "post-index-change"):
        path = root / ".git" / "hooks" / hook
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\ntouch {witness}\n")
        path.chmod(0o755)
    git(root, "config", "filter.evil.smudge", f"touch {witness}; cat")
    git(root, "config", "core.fsmonitor", f"touch {witness}")
    git(root, "config", "uploadpack.packObjectsHook", f"touch {witness}; exec")
    git(root, "config", "alias.clone", f"!touch {witness}")
    tree = checkout(str(root), "", tmp_path / "tree")
    (tree.root / "a.py").write_text(PLAIN)
    patch, _ = tree.patches(["a.py"])
    assert b"+def double(x):" in patch
    assert not witness.exists()


def test_bytes_on_disk_are_those_of_the_blob(repository: Make, tmp_path: Path) -> None:
    text = b"import torch\r\nx = 1\nv = '$Id$'\n"
    root = repository({"a.py": text})
    write_all(root, {".gitattributes": "*.py text eol=crlf ident working-tree-encoding=UTF-16\n"})
    git(root, "add", ".gitattributes")
    git(root, "commit", "--quiet", "--message=second")
    tree = checkout(str(root), "", tmp_path / "tree")
    assert (tree.root / "a.py").read_bytes() == text
