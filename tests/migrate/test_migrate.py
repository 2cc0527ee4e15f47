"""`refactor migrate` as a user runs it."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import BRANCH, PLAIN, git, write_all

Make = Callable[..., Path]
LOUD = 'import torch\n\n\ndef loud(x):\n    print("mean", x.mean())\n    return x * 2\n'
# Passes as long as the text that a rewrite brings is not in the file.
TEST = """\
import pathlib
import unittest


class Case(unittest.TestCase):
    def test_text(self):
        self.assertNotIn("decorators.skip", pathlib.Path("bad.py").read_text())

    def test_other(self):
        pass
"""


def migrate(cwd: Path, *arguments: str, **more: Any) -> subprocess.CompletedProcess[str]:
    """Run the command; nothing of a repository is run unless the arguments ask for it."""
    command = [sys.executable, "-m", "refactor", "migrate", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, **more)


def rows(out: Path, query: str) -> list[tuple[Any, ...]]:
    """The rows of a query on the ledger."""
    connection = sqlite3.connect(out / "ledger.sqlite")
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def test_a_patch_and_its_inverse(repository: Make, tmp_path: Path) -> None:
    root = repository({"a.py": BRANCH, "b.py": PLAIN, "c.py": "def (\n"})
    done = migrate(tmp_path, "project", "--out", "out", "--verify", "off")
    assert done.returncode == 0, done.stderr
    assert "project: done, 1 of 3 files rewritten" in done.stderr
    place = tmp_path / "out" / "repositories" / "project"
    git(root, "apply", str(place / "changes.patch"))
    expected = subprocess.run(
        [sys.executable, "-m", "refactor", "apply", "-", "--verify", "off", "--isolated"],
        input=BRANCH,
        capture_output=True,
        text=True,
    ).stdout
    assert expected != BRANCH
    assert (root / "a.py").read_text() == expected
    git(root, "apply", str(place / "undo.patch"))
    assert git(root, "status", "--porcelain") == ""
    statuses = rows(tmp_path / "out", "SELECT path, status FROM files ORDER BY path")
    assert statuses == [("a.py", "rewritten"), ("b.py", "unchanged"), ("c.py", "failed")]
    assert rows(tmp_path / "out", "SELECT code FROM fixes") == [("TR102",)]


def test_a_rewrite_is_verified_by_default(repository: Make, tmp_path: Path) -> None:
    repository({"a.py": BRANCH})
    done = migrate(tmp_path, "project", "--out", "out")
    assert done.returncode == 0, done.stderr
    query = "SELECT verdict, sites_before, sites_after FROM files"
    assert rows(tmp_path / "out", query) == [("VERIFIED", 1, 0)]
    assert rows(tmp_path / "out", "SELECT standing FROM fixes") == [("verified",)]


def test_the_guilty_rewrite_is_found_and_taken_back(repository: Make, tmp_path: Path) -> None:
    root = repository({"good.py": BRANCH, "bad.py": BRANCH, "also.py": LOUD, "test_it.py": TEST})
    command = f"{sys.executable} -m unittest -q test_it"
    done = migrate(tmp_path, "project", "--out", "out", "--verify", "off", "--test", command)
    assert done.returncode == 0, done.stderr
    dropped = rows(tmp_path / "out", "SELECT path, code, dropped FROM fixes WHERE dropped != ''")
    assert dropped == [("bad.py", "TR102", "the repository's own tests fail with it")]
    patch = (tmp_path / "out" / "repositories" / "project" / "changes.patch").read_text()
    assert re.findall(r"^diff --git a/(\S+)", patch, re.MULTILINE) == ["also.py", "good.py"]
    [(tests,)] = rows(tmp_path / "out", "SELECT tests FROM repositories")
    assert [(run["status"], run["passed"], run["failed"]) for run in json.loads(tests)] == [(0, 2, 0), (0, 2, 0)]
    assert git(root, "status", "--porcelain") == ""


def test_a_branch_with_a_commit_for_each_rule(repository: Make, tmp_path: Path) -> None:
    root = repository({"a.py": BRANCH, "b.py": LOUD, "c.py": BRANCH + LOUD.removeprefix("import torch\n")})
    home = tmp_path / "home"
    write_all(home, {".gitconfig": f"[user]\nname = B\nemail = b@example.org\n[core]\nhooksPath = {home}/hooks\n"})
    write_all(home, {"hooks/commit-msg": '#!/bin/sh\necho "Checked-by: hook" >> "$1"\n'})
    (home / "hooks" / "commit-msg").chmod(0o755)
    env = os.environ | {"HOME": str(home)}
    done = migrate(tmp_path, "project", "--out", "out", "--verify", "off", "--commit", env=env)
    assert done.returncode == 0, done.stderr
    place = tmp_path / "out" / "repositories" / "project"
    git(root, "fetch", "--quiet", str(place / "branch.bundle"), "refactor/migrate:refactor/migrate")
    log = git(root, "log", "--reverse", "--format=%an <%ae>%n%B", "main..refactor/migrate")
    assert re.findall(r"^(TR\d+) ", log, re.MULTILINE) == ["TR102", "TR302"]
    assert log.count("B <b@example.org>") == 2
    assert log.count("Checked-by: hook") == 2
    assert "TR102 input-condition: 2 fixes in 2 files" in log
    assert "Verdicts: 2 not run" in log
    branch = git(root, "diff", "main", "refactor/migrate")
    git(root, "apply", str(place / "changes.patch"))
    assert git(root, "diff") == branch


def test_a_run_that_goes_on(repository: Make, tmp_path: Path) -> None:
    for name in "abc":
        repository({"m.py": BRANCH}, name)
    (tmp_path / "list.csv").write_text("url\na\nb\nnowhere\n")
    first = migrate(tmp_path, "list.csv", "--out", "out", "--verify", "off")
    assert first.returncode == 1
    assert "nowhere: failed, `nowhere` is neither a folder nor a git URL" in first.stderr
    again = migrate(tmp_path, "list.csv", "--out", "out", "--verify", "off")
    assert (again.returncode, "go on with `--resume`" in again.stderr) == (2, True)
    before = rows(tmp_path / "out", "SELECT name, finished FROM repositories ORDER BY name")
    (tmp_path / "list.csv").write_text("url\na\nb\nnowhere\nc\n")
    migrate(tmp_path, "list.csv", "--out", "out", "--verify", "off", "--resume")
    after = rows(tmp_path / "out", "SELECT name, finished FROM repositories ORDER BY name")
    assert [name for name, _ in after] == ["a", "b", "c", "nowhere"]
    assert set(before) <= set(after)
    shutil.copytree(tmp_path / "a", tmp_path / "nowhere")
    last = migrate(tmp_path, "list.csv", "--out", "out", "--verify", "off", "--retry-failed")
    assert last.returncode == 0, last.stderr
    assert rows(tmp_path / "out", "SELECT count(*) FROM repositories WHERE status = 'done'") == [(4,)]


def test_shards_come_together(repository: Make, tmp_path: Path) -> None:
    names = [f"r{index}" for index in range(5)]
    for name in names:
        repository({"m.py": BRANCH}, name)
    for part in "12":
        migrate(tmp_path, *names, "--out", f"part{part}", "--verify", "off", "--shard", f"{part}/2")
    done = migrate(tmp_path, "ledger", "merge", "part1", "part2", "--out", "whole")
    assert done.returncode == 0, done.stderr
    query = "SELECT name, status, patch_bytes > 0 FROM repositories ORDER BY name"
    assert rows(tmp_path / "whole", query) == [(name, "done", 1) for name in names]
    assert len(list((tmp_path / "whole" / "repositories").glob("*/changes.patch"))) == 5


def test_settings_of_the_list_and_of_the_repository(repository: Make, tmp_path: Path) -> None:
    repository({"m.py": BRANCH + LOUD.removeprefix("import torch\n")}, "a")
    fresh = BRANCH.replace("    if", "    x = x.relu()\n    if")
    repository({"m.py": fresh, "pyproject.toml": "[tool.refactor]\nignore = ['TR102']\n"}, "b")
    repository({"m.py": BRANCH, "pyproject.toml": "[tool.refactor]\nignroe = ['TR102']\n"}, "c")
    (tmp_path / "l.yaml").write_text("- {url: a, select: TR302}\n- b\n- c\n")
    done = migrate(tmp_path, "l.yaml", "--out", "out", "--verify", "off")
    assert done.returncode == 1
    assert rows(tmp_path / "out", "SELECT repository, code FROM fixes ORDER BY repository") == [
        ("a", "TR302"),
        ("b", "TR101"),
    ]
    [(error,)] = rows(tmp_path / "out", "SELECT error FROM repositories WHERE name = 'c'")
    assert "unknown setting `ignroe` (did you mean `ignore`?)" in error


def test_nothing_runs_that_was_not_asked_for(repository: Make, tmp_path: Path) -> None:
    witness = tmp_path / "witness"
    text = f"open({str(witness)!r}, 'w')\n" + BRANCH
    repository({"m.py": text, "setup.py": text, "conftest.py": text, "sitecustomize.py": text})
    done = migrate(tmp_path, "project", "--out", "out", "--verify", "off")
    assert done.returncode == 0, done.stderr
    assert not witness.exists()


def test_a_budget_that_runs_out_is_named(repository: Make, tmp_path: Path) -> None:
    repository({"a.py": BRANCH, "b.py": BRANCH})
    migrate(tmp_path, "project", "--out", "out", "--verify", "off", "--budget", "0")
    reasons = {reason for (reason,) in rows(tmp_path / "out", "SELECT reason FROM files")}
    assert reasons == {"not reached within the budget of 0 s"}


def test_a_bug_of_a_rule_ends_its_file_alone(repository: Make, tmp_path: Path) -> None:
    """A rule that raises is put beside the tool's own, in a folder on the path of the run."""
    repository({"a.py": BRANCH, "b.py": BRANCH.replace("gate", "broken")})
    hook = """\
import refactor.transforms.rules.tensor_branch as module

rule = module.TensorBranch
find = rule.find


def failing(self, node, facts):
    if "broken" in facts.source.text:
        raise KeyError("site")
    return find(self, node, facts)


rule.find = failing
"""
    write_all(tmp_path / "hooks", {"sitecustomize.py": hook})
    env = os.environ | {"PYTHONPATH": str(tmp_path / "hooks")}
    done = migrate(tmp_path, "project", "--out", "out", "--verify", "off", env=env)
    assert done.returncode == 0, done.stderr
    found = rows(tmp_path / "out", "SELECT path, status, reason FROM files ORDER BY path")
    assert found[0] == ("a.py", "rewritten", "")
    assert found[1][:2] == ("b.py", "failed")
    assert found[1][2].startswith("a bug of torch-refactor: KeyError: 'site' (")
    [(notes,)] = rows(tmp_path / "out", "SELECT notes FROM repositories")
    assert "b.py: a bug of torch-refactor" in notes


def test_what_files_compile_of_each_other(repository: Make, tmp_path: Path) -> None:
    tell = 'def tell(x):\n    print("hi")\n    return x\n'
    main = "import torch\nfrom model import tell\n\nfast = torch.compile(tell)\n"
    repository({"model.py": f"import torch\n\n\n{tell}", "main.py": main, "setup.py": ""}, "whole")
    repository({"model.py": f"import torch\n\n\n{tell}"}, "alone")
    migrate(tmp_path, "whole", "alone", "--out", "out", "--verify", "off")
    assert rows(tmp_path / "out", "SELECT repository, path, code FROM fixes") == [("whole", "model.py", "TR302")]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["project"], "Missing option '--out'"),
        (["project", "--out", "out", "--shard", "3/2"], "`--shard` takes I/N"),
        (["project", "--out", "out", "--select", "TR9999"], "TR9999"),
        (["report", "out"], "there is no ledger"),
    ],
)
def test_what_a_user_does_wrong(repository: Make, tmp_path: Path, arguments: list[str], message: str) -> None:
    repository({"a.py": BRANCH})
    done = migrate(tmp_path, *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_reports(repository: Make, tmp_path: Path) -> None:
    repository(
        {
            "<b>.py": BRANCH,
            "b.py": "import torch\n\n\ndef f(x):\n    while x.sum() > 0:\n        x = x - 1\n    return x\n",
        }
    )
    migrate(tmp_path, "project", "nowhere", "--out", "out", "--verify", "off")
    table = migrate(tmp_path, "report", "out", "--output-format", "markdown").stdout
    assert re.search(r"^\| project \| 2 \| 1 \| 1 \| 0 \| [1-9] \|  \|  \|$", table, re.MULTILINE)
    assert "| nowhere | failed: `nowhere` is neither a folder nor a git URL |" in table
    plain = json.loads(migrate(tmp_path, "report", "out", "--output-format", "json").stdout)
    assert [r["status"] for r in plain["repositories"]] == ["failed", "done"]
    log = json.loads(migrate(tmp_path, "report", "out", "--output-format", "sarif").stdout)
    uris = {r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in log["runs"][0]["results"]}
    assert uris == {"project/b.py"}
    assert migrate(tmp_path, "report", "out").returncode == 0
    page = (tmp_path / "out" / "report" / "repositories" / "project.html").read_text()
    assert "&lt;b&gt;.py" in page
    assert "<b>.py" not in page
    assert "http" not in re.sub(r"https?://www.w3.org", "", (tmp_path / "out" / "report" / "index.html").read_text())
