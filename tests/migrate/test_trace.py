"""`refactor migrate --trace`: the repository's own program is evidence for what is found, changed and verified."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import git
from .test_migrate import migrate, rows

Make = Callable[..., Path]
# What nobody can guess: what the class is built from is made by the program alone.
MODEL = """\
import torch
from torch import nn


class Gate(nn.Module):
    def __init__(self, table):
        super().__init__()
        self.line = nn.Linear(table.rows["width"], 4)

    def forward(self, x):
        y = self.line(x)
        if y.sum() > 0:
            y = y * 2
        return y + 1
"""
PROGRAM = """\
import pathlib
import torch
from model import Gate
from table import Table

torch.manual_seed(0)
gate = torch.compile(Gate(Table({"width": 3})), backend="eager")
for sign in (1, -1, 3, -3):
    gate(sign * torch.rand(2, 3))
pathlib.Path("notes.txt").write_text("spoiled")
pathlib.Path("made.py").write_text("x = 1")
"""
TABLE = "class Table:\n    def __init__(self, rows):\n        self.rows = rows\n"
FILES = {"model.py": MODEL, "table.py": TABLE, "program.py": PROGRAM, "notes.txt": "as it was\n"}
RUN = f"{sys.executable} program.py"


def test_a_recorded_call_is_what_a_rewrite_is_verified_on(repository: Make, tmp_path: Path) -> None:
    root = repository(FILES)
    query = "SELECT status, verdict, sites_before, sites_after FROM files WHERE path = 'model.py'"
    plain = migrate(tmp_path, "project", "--out", "plain")
    assert plain.returncode == 0, plain.stderr
    assert rows(tmp_path / "plain", query) == [("unchanged", None, None, None)]
    traced = migrate(tmp_path, "project", "--out", "traced", "--trace", RUN)
    assert traced.returncode == 0, traced.stderr
    assert rows(tmp_path / "traced", query) == [("rewritten", "VERIFIED", 1, 0)]
    assert rows(tmp_path / "traced", "SELECT line, code, standing FROM fixes") == [(12, "TR101", "verified")]
    assert rows(tmp_path / "traced", "SELECT notes FROM repositories") == [("[]",)]
    patch = tmp_path / "traced" / "repositories" / "project" / "changes.patch"
    assert git(root, "apply", "--numstat", str(patch)).split("\t")[2:] == ["model.py\n"]
    assert git(root, "status", "--porcelain") == ""


@pytest.mark.parametrize(
    ("command", "limit", "note"),
    [
        ("echo nothing", "300", "the traced program compiled nothing"),
        (f"{RUN} && echo too bad && false", "300", "the traced program ended with status 1: too bad"),
        ("while true; do :; done", "2", "the traced program was ended after 2 s"),
    ],
)
def test_what_goes_wrong_in_it_is_named(repository: Make, tmp_path: Path, command: str, limit: str, note: str) -> None:
    repository(FILES)
    migrate(tmp_path, "project", "--out", "out", "--verify", "off", "--trace", command, "--test-timeout", limit)
    [(notes,)] = rows(tmp_path / "out", "SELECT notes FROM repositories")
    assert note in notes


def test_a_repository_cannot_stand_before_the_recorder(repository: Make, tmp_path: Path) -> None:
    witness = tmp_path / "witness"
    text = f"open({str(witness)!r}, 'w')\n"
    repository({**FILES, "refactor/__init__.py": text, "refactor/__main__.py": text, "click.py": text})
    migrate(tmp_path, "project", "--out", "out", "--verify", "off", "--trace", RUN)
    assert not witness.exists()
