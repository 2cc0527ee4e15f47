"""Where user code runs, and where it never does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

# Reports what would run user code: its text executed or imported here, or any process started.
WATCH = """
import sys
def watch(event, arguments):
    if event == "exec" and "landing" in getattr(arguments[0], "co_filename", ""):
        print("user code runs")
    if event == "import" and arguments[0] == "landing":
        print("user code is imported")
    if event in ("subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.exec", "os.system"):
        print("a process is started", arguments)
sys.addaudithook(watch)
from refactor.cli import main
main(sys.argv[1:], standalone_mode=False)
"""
USER = """
import torch
open({mark!r}, "w").close()

def f(x):
    if x.sum() > 0:
        return x + 1
    return x - 1
"""
QUIET = [
    ["check", "landing.py"],
    ["check", "--output-format", "json", "."],
    ["apply", "--verify", "off", "landing.py"],
    ["apply", "--verify", "off", "--dry-run", "landing.py"],
    ["apply", "--verify", "off", "--check", "--factory", "f", "--inputs", "g", "landing.py"],
    ["check", "--stdin-filename", "landing.py", "-"],
    ["apply", "--verify", "off", "--stdin-filename", "landing.py", "-"],
    ["config", "landing.py"],
]


@pytest.mark.parametrize("arguments", QUIET, ids=" ".join)
def test_commands_that_only_read(arguments: list[str], tmp_path: Path) -> None:
    text = USER.format(mark=str(tmp_path / "mark"))
    (tmp_path / "landing.py").write_text(text)
    run = subprocess.run(
        [sys.executable, "-c", WATCH, *arguments], cwd=tmp_path, input=text, capture_output=True, text=True, check=False
    )
    assert run.returncode in (0, 1), run.stderr
    assert "Traceback" not in run.stderr
    assert "user code" not in run.stdout
    assert "a process is started" not in run.stdout
    assert not (tmp_path / "mark").exists()


def test_the_watch_sees_what_runs(tmp_path: Path) -> None:
    text = USER.format(mark=str(tmp_path / "mark"))
    (tmp_path / "landing.py").write_text(text)
    run = subprocess.run(
        [sys.executable, "-c", WATCH, "apply", "--dry-run", "--no-cache", "landing.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "a process is started" in run.stdout
    assert "user code" not in run.stdout
    assert (tmp_path / "mark").exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_an_interrupt_leaves_every_file_as_it_was(tmp_path: Path) -> None:
    pipe, scratch, folder = tmp_path / "pipe", tmp_path / "scratch", tmp_path / "code"
    os.mkfifo(pipe)
    scratch.mkdir()
    folder.mkdir()
    endless = f"held = open({str(pipe)!r}, 'w')\nheld.write('running')\nheld.flush()\nwhile True:\n    pass\n"
    text = USER.format(mark=str(tmp_path / "mark"))
    (folder / "first.py").write_text(text + endless)
    (folder / "second.py").write_text(text + endless)
    command = [sys.executable, "-m", "refactor", "apply", "--no-cache", "first.py", "second.py"]
    # A shell ignores interrupts on behalf of what it runs in the background, this test perhaps among it.
    heed = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    given = {**os.environ, "TMPDIR": str(scratch)}
    tool = subprocess.Popen(command, cwd=folder, env=given, stderr=subprocess.PIPE, preexec_fn=heed)
    with pipe.open() as reader:
        assert reader.read(7) == "running"
        tool.send_signal(signal.SIGINT)
        # The pipe ends when nobody holds its other end any more: no process is left.
        assert reader.read().replace("running", "") == ""
    _, said = tool.communicate()
    assert (tool.returncode, said.decode().strip()) == (130, "error: interrupted")
    assert sorted(path.name for path in folder.iterdir()) == ["first.py", "second.py"]
    assert {path.read_text() for path in folder.iterdir()} == {text + endless}
    assert list(scratch.iterdir()) == []
