"""Small repositories to migrate."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

BRANCH = """\
import torch


def gate(x):
    if x.sum() > 0:
        x = x * 2
    return x
"""
PLAIN = "import torch\n\n\ndef double(x):\n    return x * 2\n"


def git(root: Path, *arguments: str) -> str:
    """Run git as a user of the tests would."""
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    command = ["git", *identity, *arguments]
    return subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout


def write_all(root: Path, files: Mapping[str, str | bytes]) -> None:
    """Write files below a folder."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


@pytest.fixture
def repository(tmp_path: Path) -> Callable[..., Path]:
    """Makes a git repository with one commit of the files given."""

    def make(files: Mapping[str, str | bytes], name: str = "project") -> Path:
        root = tmp_path / name
        root.mkdir()
        git(root, "init", "--quiet", "--initial-branch=main")
        write_all(root, files)
        git(root, "add", "--all")
        git(root, "commit", "--quiet", "--allow-empty", "--message=first")
        return root

    return make
