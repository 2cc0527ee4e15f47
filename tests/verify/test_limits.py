"""What user code may take, and that nothing of it is left afterwards."""

from __future__ import annotations

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

linux = pytest.mark.skipif(sys.platform != "linux", reason="the kernel of Linux keeps these limits")


@pytest.fixture
def asked(tmp_path: Path, program: Callable[..., str]) -> Callable[..., Verdict]:
    """Judges a body against itself in a child of the server."""

    def ask(body: str, **options: object) -> Verdict:
        path = tmp_path / "model.py"
        path.write_text(program(body), encoding="utf-8")
        settings = {"factory": "make_callable", "inputs": "make_inputs", "examples": 1, "timeout_s": 60.0, **options}
        return judge(Request(program(body), f"{program(body)}# same\n", str(path), **settings))

    return ask


CONNECTS = {
    "python": "import socket\nsocket.socket()\n",
    "native code": (
        "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "if libc.socket(2, 1, 0) < 0:\n    raise PermissionError(ctypes.get_errno(), 'refused')\n"
    ),
    "another program": (
        "import subprocess, sys\n"
        "run = subprocess.run([sys.executable, '-S', '-c', 'import socket; socket.socket()'], capture_output=True)\n"
        "if b'PermissionError' in run.stderr:\n    raise PermissionError(13, 'refused')\n"
    ),
}


@linux
@pytest.mark.parametrize("body", CONNECTS.values(), ids=CONNECTS)
def test_the_network_is_refused(body: str, asked: Callable[..., Verdict]) -> None:
    (reason,) = asked(body).reasons
    assert reason.startswith("the original cannot be imported: PermissionError: [Errno 13] ")


def test_the_network_is_allowed_on_request(asked: Callable[..., Verdict]) -> None:
    body = f"{CONNECTS['python']}def f(x):\n    return x\n"
    assert asked(body, network=True).status == "VERIFIED"


def test_local_sockets_are_allowed(asked: Callable[..., Verdict]) -> None:
    body = (
        "import socket\ndef f(x):\n    one, two = socket.socketpair()\n    one.send(b'a')\n    return x, two.recv(1)\n"
    )
    assert asked(body).status == "VERIFIED"


def test_where_the_kernel_has_no_filter_python_refuses() -> None:
    code = (
        "import socket\nfrom refactor.verify import limits\nlimits._CALLS = {}\nlimits.refuse_network()\n"
        "socket.socketpair()\n"
        "try:\n    socket.socket()\nexcept PermissionError:\n    print('refused')\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "refused\n"


@linux
def test_a_fork_bomb_costs_that_target_only(asked: Callable[..., Verdict], tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    os.set_blocking(reader, True)
    bomb = (
        f"import os\ndef f(x):\n    held = open({str(tmp_path / 'pipe')!r}, 'w')\n    while True:\n        os.fork()\n"
    )
    verdict = asked(bomb)
    assert verdict.status == "UNVERIFIED"
    assert verdict.reasons[0].startswith("it started more than 128 processes while running the original")
    # The pipe has an end, because nobody is left who could write into it.
    assert os.read(reader, 1) == b""
    os.close(reader)
    assert asked("def f(x):\n    return x + 1\n").status == "VERIFIED"


def test_a_few_processes_are_fine(asked: Callable[..., Verdict]) -> None:
    body = (
        "import os, sys\ndef f(x):\n    run = [os.spawnl(os.P_NOWAIT, '/bin/true', 'true') for _ in range(8)]\n"
        "    return [os.waitpid(pid, 0)[1] for pid in run]\n"
    )
    assert asked(body).status == "VERIFIED"


DAEMON = """
import os, signal
def f(x):
    held = open({pipe!r}, 'w')
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            held.write('running')
            held.flush()
            while True:
                signal.pause()
        os._exit(0)
    os.wait()
    {end}
    return x
"""


@linux
@pytest.mark.parametrize(
    "end", ["pass", "os._exit(1)", "os.kill(os.getppid(), signal.SIGKILL); signal.pause()"], ids=["", "exit", "server"]
)
def test_a_daemon_does_not_outlive_its_target(end: str, asked: Callable[..., Verdict], tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    os.set_blocking(reader, True)
    asked(DAEMON.format(pipe=str(pipe), end=end))
    with os.fdopen(reader, encoding="utf-8") as left:
        assert left.read().startswith("running")


@linux
def test_nothing_outlives_a_tool_that_is_killed(tmp_path: Path) -> None:
    pipe, scratch = tmp_path / "pipe", tmp_path / "scratch"
    os.mkfifo(pipe)
    scratch.mkdir()
    text = f"import torch\n{DAEMON.format(pipe=str(pipe), end='signal.pause()')}f(0)\n"
    (tmp_path / "old.py").write_text(text)
    (tmp_path / "new.py").write_text(f"{text}# same\n")
    command = [sys.executable, "-m", "refactor", "verify", "--no-cache", "old.py", "new.py"]
    tool = subprocess.Popen(command, cwd=tmp_path, env={**os.environ, "TMPDIR": str(scratch)}, stderr=subprocess.PIPE)
    with pipe.open() as reader:
        assert reader.read(7) == "running"
        tool.send_signal(signal.SIGKILL)
        assert reader.read() == ""
    tool.communicate()


def test_a_large_file_is_refused(asked: Callable[..., Verdict]) -> None:
    body = "import os\ndef f(x):\n    with open('large', 'wb') as file:\n        file.truncate(1 << 30)\n    return x\n"
    verdict = asked(body)
    assert verdict.reasons[0].startswith("the original fails on every given call: OSError: ")
    assert "too large" in verdict.reasons[0]


def test_the_working_directory_is_private(asked: Callable[..., Verdict], tmp_path: Path) -> None:
    body = (
        "import os, tempfile\nassert set(os.listdir()) <= {'left', 'inductor'}, os.listdir()\n"
        "with tempfile.NamedTemporaryFile(delete=False) as file:\n    assert file.name.startswith(os.getcwd())\n"
        "os.remove(file.name)\ndef f(x):\n    open('left', 'w').close()\n    return x\n"
    )
    assert asked(body).reasons == ("no difference on 1 given calls and 9 variations",)
    assert [path.name for path in tmp_path.iterdir()] == ["model.py"]


def test_each_process_that_runs_a_target_has_a_directory_of_its_own(asked: Callable[..., Verdict]) -> None:
    body = (
        "import os, tempfile\nopen(f'by{os.getpid()}', 'w').close()\n"
        "assert [n for n in os.listdir(tempfile.gettempdir()) if n.startswith('by')] == [f'by{os.getpid()}']\n"
        "def f(x):\n    return x\n"
    )
    assert asked(body).reasons == ("no difference on 1 given calls and 9 variations",)


def test_the_environment_is_private(asked: Callable[..., Verdict], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OF_THE_USER", "kept")
    body = "import os\nassert os.environ['OF_THE_USER'] == 'kept'\nos.environ['OF_THE_USER'] = 'kept'\n"
    assert asked(f"{body}def f(x):\n    os.environ['OF_THE_USER'] = 'spoiled'\n    return x\n").status != "REFUTED"
    assert asked(f"{body}def f(x):\n    return x\n").status == "VERIFIED"
    assert os.environ["OF_THE_USER"] == "kept"


@pytest.mark.parametrize("name", ["SIGTERM", "SIGABRT", "SIGKILL"])
def test_a_signal_costs_that_target_only(name: str, asked: Callable[..., Verdict]) -> None:
    verdict = asked(f"import os, signal\ndef f(x):\n    os.kill(os.getpid(), signal.{name})\n    return x\n")
    assert verdict.status == "UNVERIFIED"
    assert verdict.reasons[0].startswith(f"the process was ended by {name} while running the original")
    (server,) = launch._servers._idle
    assert asked("def f(x):\n    return x + 1\n").status == "VERIFIED"
    assert launch._servers._idle == [server]
