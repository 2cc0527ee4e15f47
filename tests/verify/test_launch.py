"""User code that does not behave is a verdict, and leaves nothing behind."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from refactor.verify.launch import judge
from refactor.verify.verdict import Request, Verdict


@pytest.fixture
def launched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Verdict]:
    """Judges a text against itself in a child process whose temporary files would be seen in `tmp_path/tmp`."""
    scratch = tmp_path / "tmp"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))

    def launch(text: str, **options: object) -> Verdict:
        path = tmp_path / "model.py"
        path.write_text(text, encoding="utf-8")
        settings = {"factory": "make_callable", "inputs": "make_inputs", "examples": 5, "timeout_s": 60.0, **options}
        verdict = judge(Request(old=text, new=f"{text}# same\n", path=str(path), **settings))  # type: ignore[arg-type]
        assert list(scratch.iterdir()) == []
        assert sorted(item.name for item in tmp_path.iterdir()) == ["model.py", "tmp"]
        return verdict

    return launch


def test_a_program_that_behaves(launched: Callable[..., Verdict], program: Callable[..., str]) -> None:
    verdict = launched(program("def f(x):\n    return x + 1\n"))
    assert verdict.status == "VERIFIED"
    assert verdict.before is not None
    assert verdict.before.graphs == 1


GARBAGE = (
    "import os, sys\nprint('}{' * 1000)\nos.write(1, b'junk' * 1000)\n"
    "def f(x):\n    os.write(2, b'junk')\n    sys.__stdout__.write('junk')\n    return x + 1\n"
)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("import nowhere_to_be_found\n", "the original cannot be imported: ModuleNotFoundError: No module named"),
        ("import sys\nsys.exit(3)\n", "the original cannot be imported: SystemExit: 3"),
        (
            "import os\ndef f(x):\n    os._exit(0)\n",
            "the process ended itself with exit code 0 while running the original",
        ),
        (
            "import ctypes\ndef f(x):\n    ctypes.string_at(0)\n",
            "the process was ended by SIGSEGV while running the original",
        ),
        ("def f(x):\n    return torch.ones(10 * 1024**3 // 4).sum()\n", "out of memory at the limit of 4096 MiB"),
        ("def f(x):\n    return len(bytearray(10 * 1024**3))\n", "out of memory at the limit of 4096 MiB"),
    ],
    ids=["import raises", "exit at import", "os._exit", "segfault", "large tensor", "large bytes"],
)
def test_faults(body: str, reason: str, launched: Callable[..., Verdict], program: Callable[..., str]) -> None:
    verdict = launched(program(body))
    assert verdict.status == "UNVERIFIED"
    assert verdict.reasons[0].startswith(reason)
    assert verdict.before is None


def test_output_of_user_code_stays_apart(
    launched: Callable[..., Verdict], program: Callable[..., str], capfd: pytest.CaptureFixture[str]
) -> None:
    assert launched(program(GARBAGE)).status == "VERIFIED"
    assert capfd.readouterr() == ("", "")


HANDLING = """
def f(x):
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
"""


@pytest.mark.parametrize(
    "body",
    [
        "def f(x):\n    while True:\n        pass\n",
        pytest.param(HANDLING, marks=pytest.mark.slow),
        pytest.param("while True:\n    pass\n", marks=pytest.mark.slow),
        pytest.param(
            "import os, signal\ndef f(x):\n    os.kill(os.getpid(), signal.SIGSTOP)\n", marks=pytest.mark.slow
        ),
    ],
    ids=["in a call", "in a call that catches everything", "at import", "stopped"],
)
def test_what_does_not_end(body: str, launched: Callable[..., Verdict], program: Callable[..., str]) -> None:
    verdict = launched(program(body), timeout_s=8.0)
    assert verdict.status == "UNVERIFIED"
    assert "while" in verdict.reasons[0] or "does not return" in verdict.reasons[0]


def test_processes_that_user_code_started_are_ended(
    launched: Callable[..., Verdict], program: Callable[..., str], tmp_path: Path
) -> None:
    body = (
        "import subprocess, pathlib\n"
        f"note = pathlib.Path({str(tmp_path / 'tmp')!r}).parent / 'model.py'\n"
        "def f(x):\n    child = subprocess.Popen(['sleep', '600'])\n"
        "    note.write_text(str(child.pid))\n    import os; os._exit(1)\n"
    )
    launched(program(body))
    pid = (tmp_path / "model.py").read_text()
    listed = subprocess.run(
        ["ps", "-o", "stat=", "-p", pid], capture_output=True, text=True, check=False
    ).stdout.strip()
    assert listed == "" or listed.startswith("Z")


@pytest.mark.slow
def test_relative_names_hold_in_the_child(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: Callable[..., str]
) -> None:
    text = program("from beside import VALUE\ndef f(x):\n    return x + VALUE\n")
    (tmp_path / "model.py").write_text(text, encoding="utf-8")
    (tmp_path / "beside.py").write_text("VALUE = 2\n", encoding="utf-8")
    helper = "import model\nmake, calls = model.make_callable, model.make_inputs\n"
    (tmp_path / "helper.py").write_text(helper, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    request = Request(text, text, "model.py", "helper.py:make", "helper.py:calls", examples=5)
    assert judge(request).status == "VERIFIED"


def test_the_parent_side_loads_neither_torch_nor_hypothesis() -> None:
    code = "import sys, refactor.verify.launch; print(sorted({'torch', 'hypothesis', 'numpy'} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=dict(os.environ))
    assert run.stdout.strip() == "[]"
