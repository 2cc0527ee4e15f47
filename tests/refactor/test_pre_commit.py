"""The hooks of `.pre-commit-hooks.yaml`, by pre-commit itself in a real git repository."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
MODEL = """\
import torch
from torch import nn


class Gate(nn.Module):
    def forward(self, x):
        h = torch.relu(x)
        if h.sum() > 0.5:
            h = h * 2
        return h
"""


class Repository:
    """A repository of a user's, with hooks taken from a repository that offers ours."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # pre-commit leaves a caller's own git settings alone, which inside of a hook would name another repository.
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        author = {f"GIT_{who}_{what}": "x@x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        bin_ = str(Path(sys.executable).parent)
        path = os.pathsep.join((bin_, kept.get("PATH", "")))
        self.environment = {**kept, **author, "PATH": path, "PRE_COMMIT_HOME": str(folder / "home")}

    def run(self, *command: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, cwd=cwd or self.work, env=self.environment, capture_output=True, text=True, check=False
        )

    @property
    def work(self) -> Path:
        return self.folder / "work"

    def begin(self, *hooks: str) -> None:
        """Make both repositories; the hooks run in the environment at hand, so that nothing is downloaded."""
        offered = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
        source = self.folder / "source"
        source.mkdir(parents=True)
        self.work.mkdir()
        local = [{**hook, "language": "system"} for hook in offered]
        (source / ".pre-commit-hooks.yaml").write_text(yaml.safe_dump(local), "utf-8")
        for cwd in (source, self.work):
            self.run("git", "init", "-q", "-b", "main", cwd=cwd)
        self.run("git", "add", ".", cwd=source)
        self.run("git", "commit", "-qm", "hooks", cwd=source)
        revision = self.run("git", "rev-parse", "HEAD", cwd=source).stdout.strip()
        repository = {"repo": source.as_uri(), "rev": revision, "hooks": [{"id": hook} for hook in hooks]}
        (self.work / ".pre-commit-config.yaml").write_text(yaml.safe_dump({"repos": [repository]}), "utf-8")
        self.run("git", "add", ".")
        self.run("git", "commit", "-qm", "start")
        installed = self.run(sys.executable, "-m", "pre_commit", "install")
        assert installed.returncode == 0, installed.stdout + installed.stderr


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


def test_a_commit_with_a_break_is_stopped(repository: Repository) -> None:
    repository.begin("refactor-check")
    (repository.work / "model.py").write_text(MODEL, "utf-8")
    (repository.work / "notes.txt").write_text("if h.sum() > 0: pass\n", "utf-8")
    repository.run("git", "add", ".")
    stopped = repository.run("git", "commit", "-m", "model")
    assert stopped.returncode == 1
    assert "refactor check" in stopped.stderr
    assert "model.py:8:12" in stopped.stdout + stopped.stderr
    (repository.work / "model.py").write_text(MODEL.replace("0.5:", "0.5:  # refactor: ignore[TR101]"), "utf-8")
    repository.run("git", "add", ".")
    passed = repository.run("git", "commit", "-m", "model")
    assert passed.returncode == 0, passed.stdout + passed.stderr


def test_a_commit_is_rewritten(repository: Repository) -> None:
    repository.begin("refactor-apply", "refactor-check")
    (repository.work / "model.py").write_text(MODEL, "utf-8")
    repository.run("git", "add", ".")
    first = repository.run("git", "commit", "-m", "model")
    assert first.returncode == 1
    assert "files were modified by this hook" in first.stderr
    rewritten = (repository.work / "model.py").read_text("utf-8")
    assert "h = _where(h.sum() > 0.5, lambda h: h * 2, lambda h: h, (h,))" in rewritten
    repository.run("git", "add", ".")
    second = repository.run("git", "commit", "-m", "model")
    assert second.returncode == 0, second.stdout + second.stderr
    assert (repository.work / "model.py").read_text("utf-8") == rewritten
