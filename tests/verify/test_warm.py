"""The server that children are forked from."""

from __future__ import annotations

import functools
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from refactor.verify import launch
from refactor.verify.launch import judge
from refactor.verify.verdict import Request, Verdict


@pytest.fixture
def asked(tmp_path: Path, program: Callable[..., str]) -> Callable[[str], Verdict]:
    """Judges a body against itself in a child of the server."""

    def ask(body: str, **options: object) -> Verdict:
        path = tmp_path / "model.py"
        path.write_text(program(body), encoding="utf-8")
        settings = {"factory": "make_callable", "inputs": "make_inputs", "examples": 1, "timeout_s": 60.0, **options}
        return judge(Request(program(body), f"{program(body)}# same\n", str(path), **settings))

    return ask


def test_one_server_answers_many_questions_and_no_child_sees_another(asked) -> None:
    body = (
        "import os, sys\nME = str(os.getpid())\nassert os.environ.get('LEFT', ME) == ME\nos.environ['LEFT'] = ME\n"
        "del ME\ndef f(x):\n    return x + 1\n"
    )
    assert asked(body).status == "VERIFIED"
    (server,) = launch._servers._idle
    assert asked(body).status == "VERIFIED"
    assert launch._servers._idle == [server]


def test_a_server_that_was_ended_is_replaced(asked) -> None:
    body = "def f(x):\n    return x + 1\n"
    assert asked(body).status == "VERIFIED"
    (server,) = launch._servers._idle
    os.kill(server._process.pid, signal.SIGKILL)
    server._process.wait()
    assert asked(body).status == "VERIFIED"


def test_children_hold_no_descriptors_of_the_tool(asked) -> None:
    # The standard streams, the folder that is listed, and the judge's own link to its second process.
    body = "import os\nassert len(os.listdir('/proc/self/fd')) <= 5\ndef f(x):\n    return x + 1\n"
    if not Path("/proc/self/fd").is_dir():
        pytest.skip("no /proc")
    assert asked(body).status == "VERIFIED"


def test_a_child_that_ends_its_server_costs_that_target_only(asked) -> None:
    verdict = asked("import os, signal\ndef f(x):\n    os.kill(os.getppid(), signal.SIGKILL)\n    return x\n")
    assert verdict.status == "UNVERIFIED"
    assert verdict.reasons[0].startswith("the judge was ended from outside")
    assert asked("def f(x):\n    return x + 1\n").status == "VERIFIED"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_an_interrupt_ends_everything(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    text = (
        f"import torch\nheld = open({str(pipe)!r}, 'w')\nheld.write('running')\nheld.flush()\n"
        "while True:\n    pass\ndef f(x):\n    return x\n"
    )
    (tmp_path / "old.py").write_text(text)
    (tmp_path / "new.py").write_text(text.replace("return x", "return x + 0"))
    command = [sys.executable, "-m", "refactor", "verify", "old.py", "new.py"]
    # A shell ignores interrupts on behalf of what it runs in the background, this test perhaps among it.
    heed = functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    given = {**os.environ, "TMPDIR": str(scratch)}
    tool = subprocess.Popen(command, cwd=tmp_path, env=given, stderr=subprocess.PIPE, preexec_fn=heed)
    with pipe.open() as reader:
        assert reader.read(7) == "running"
        tool.send_signal(signal.SIGINT)
        # The pipe ends when nobody holds its other end any more: no process is left.
        assert reader.read() == ""
    tool.communicate()
    assert tool.returncode != 0
    assert list(scratch.iterdir()) == []


def test_no_user_code_runs_in_the_tool_itself(tmp_path: Path) -> None:
    (tmp_path / "old.py").write_text("import torch\ndef f(x):\n    return x + 1\n")
    (tmp_path / "new.py").write_text("import torch\ndef f(x):\n    return 1 + x\n")
    code = (
        "import sys\n"
        "def watch(event, arguments):\n"
        "    if event == 'exec' and arguments[0].co_filename.rpartition('/')[2].startswith('old'):\n"
        "        print('user code')\n"
        "sys.addaudithook(watch)\n"
        "from refactor.cli import main\n"
        "main(['verify', 'old.py', 'new.py', '--examples', '1'], standalone_mode=False)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "VERIFIED" in run.stdout
    assert "user code" not in run.stdout
