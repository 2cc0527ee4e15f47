"""What `check` found is kept: by the bytes of the file, the settings, and what was asked of the files beside it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import click.testing
import pytest

from refactor import work
from refactor.cli import main

BRANCH = (
    "import torch\nfrom .base import Base\n\n\nclass Gate(Base):\n    def forward(self, x):\n"
    "        if x.sum() > 0:\n            x = x * 2\n        return x\n"
)
BASE = "from torch import nn\n\n\nclass Base(nn.Module):\n    pass\n"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "package"
    folder.mkdir()
    (tmp_path / "pyproject.toml").write_text("")
    (folder / "gate.py").write_text(BRANCH)
    (folder / "base.py").write_text(BASE)
    monkeypatch.chdir(tmp_path)
    return folder


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that were looked at, and not remembered."""
    names: list[str] = []
    real = work.inspect

    def inspect(text, name, options):
        names.append(Path(name).name)
        return real(text, name, options)

    monkeypatch.setattr(work, "inspect", inspect)
    return names


def check(*arguments: str) -> tuple[int, dict]:
    done = click.testing.CliRunner().invoke(
        main, ["check", "package", "--jobs", "1", "--output-format", "json", *arguments]
    )
    return done.exit_code, json.loads(done.stdout)


def test_the_second_run_looks_at_nothing_and_says_the_same(package, looked):
    first = check()
    assert sorted(looked) == ["base.py", "gate.py"]
    assert first[0] == 1
    assert check() == first
    assert len(looked) == 2
    assert Path(".refactor_cache/.gitignore").read_text() == "*\n"


def test_excerpts_are_those_of_the_file(package, looked):
    def told() -> str:
        return click.testing.CliRunner().invoke(main, ["check", "package", "--jobs", "1"]).stdout

    assert told() == told()
    assert len(looked) == 2


@pytest.mark.parametrize(
    ("change", "again"),
    [
        (lambda folder: (folder / "gate.py").write_text(BRANCH.replace("> 0", "< 0")), ["gate.py"]),
        (lambda folder: (folder / "base.py").write_text(BASE.replace("nn.Module", "object")), ["base.py", "gate.py"]),
        (lambda folder: (folder / "base.py").unlink(), ["gate.py"]),
        (lambda folder: (folder / "other.py").write_text("x = 1\n"), ["other.py"]),
        (lambda folder: (folder / "base").mkdir() or (folder / "base/__init__.py").write_text(""), ["__init__.py"]),
    ],
    ids=["itself", "its base", "no base", "another file", "a package that a module hides"],
)
def test_what_changed_is_looked_at_again(package, looked, change, again):
    check()
    looked.clear()
    change(package)
    told = check()
    assert sorted(looked) == again
    assert check("--no-cache") == told


def test_the_same_bytes_with_another_date_are_known(package, looked):
    check()
    os.utime(package / "gate.py", (1, 1))
    looked.clear()
    check()
    assert looked == []


@pytest.mark.parametrize("arguments", [["--select", "TR1"], ["--ignore", "TR101"], ["--config", "max-flags=1"]])
def test_other_settings_are_another_question(package, looked, arguments):
    check()
    looked.clear()
    told = check(*arguments)
    assert looked
    looked.clear()
    assert check(*arguments) == told
    assert looked == []
    assert check(*arguments, "--no-cache") == told


@pytest.mark.parametrize("content", ["", "{", "[]", '{"by": 1}', '{"findings": [[1]]}', "\x00"])
def test_a_broken_entry_counts_as_none(package, looked, content):
    told = check()
    for entry in Path(".refactor_cache").rglob("*.json"):
        entry.write_text(content)
    looked.clear()
    assert check() == told
    assert len(looked) == 2


def test_an_error_is_said_each_time(package):
    (package / "gate.py").write_text("import torch\nx = (\n")
    first, second = check(), check()
    assert first == second
    assert first[0] == 2


def test_a_pipe_in_the_place_of_a_known_file_is_not_waited_for(package):
    check()
    (package / "gate.py").unlink()
    os.mkfifo(package / "gate.py")
    assert check("package/gate.py")[0] == 2


def test_a_cache_that_cannot_be_written_is_left_alone(package, looked):
    Path(".refactor_cache").write_text("in the way")
    assert check() == check()
    assert len(looked) == 4


def test_runs_at_once_and_runs_that_are_killed_leave_a_cache_that_tells_the_truth(package):
    for number in range(40):
        (package / f"gate{number}.py").write_text(BRANCH.replace("Gate", f"Gate{number}"))
    told = check("--no-cache")
    command = [sys.executable, "-m", "refactor", "check", "package", "--jobs", "1", "--output-format", "json"]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) for _ in range(3)]
    folder = Path(".refactor_cache/findings")
    while running[0].poll() is None and not any(folder.rglob("*.json")):
        pass  # until it writes
    running[0].send_signal(signal.SIGKILL)
    outputs = [process.communicate()[0] for process in running]
    assert [json.loads(output) for output in outputs[1:]] == [told[1]] * 2
    assert check() == told
