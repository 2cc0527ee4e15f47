"""Whatever becomes of a program, what happened before is in the trace, and the program notices nothing."""

from __future__ import annotations

import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from refactor.verify.trace import Run, decoded

pytestmark = pytest.mark.xdist_group("survival")

HEAD = """\
import os, signal, sys, threading
import torch

def f(x):
    y = x + 1
    if y.sum() > 0:
        return y * 2
    return y - 1

compiled = torch.compile(f, backend="eager")
compiled(torch.ones(3))
"""
PROGRAMS = {
    "crashes": 'compiled(torch.ones(3))\nraise ValueError("boom")\n',
    "is killed": "os.kill(os.getpid(), signal.SIGKILL)\n",
    # As an interrupt from the keyboard: to everyone in the foreground.
    "is interrupted": "os.kill(os.getppid(), signal.SIGINT)\nos.kill(os.getpid(), signal.SIGINT)\n",
    "leaves at once": "os._exit(3)\n",
    "forks": """
child = os.fork()
if child == 0:
    compiled(-torch.ones(3) * 9)
    compiled(-torch.ones(3) * 9)
    os._exit(0)
os.waitpid(child, 0)
""",
    "has threads": """
together = threading.Barrier(4)

def work():
    together.wait()
    for _ in range(5):
        compiled(torch.ones(3))
    together.wait()

threads = [threading.Thread(target=work) for _ in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
""",
    "forgets what is compiled": "torch._dynamo.reset()\ncompiled(torch.ones(3))\n",
    "talks": 'print("out", sys.stdin.read(), *sys.argv[1:])\nprint("err", file=sys.stderr)\nsys.exit(7)\n',
}


class Result:
    def __init__(self, folder: Path, code: int, out: str, err: str) -> None:
        self.folder, self.code, self.out, self.err = folder, code, out, err

    @property
    def runs(self) -> list[Run]:
        return decoded((self.folder / ".refactor" / "trace.json").read_bytes()).runs


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Result]:
    # A shell ignores interrupts on behalf of what it runs in the background, these tests perhaps among it.
    heed = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    started = {}
    for name, body in PROGRAMS.items():
        folder = tmp_path_factory.mktemp("program")
        (folder / "program.py").write_text(HEAD + body, encoding="utf-8")
        started[name] = (
            folder,
            subprocess.Popen(
                [sys.executable, "-m", "refactor", "trace", "program.py", "--flag", "a b"],
                cwd=folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                preexec_fn=heed,
            ),
        )
    found = {}
    for name, (folder, process) in started.items():
        out, err = process.communicate("in", timeout=300)
        found[name] = Result(folder, process.returncode, out, err)
    return found


def the_run(result: Result) -> Run:
    (run,) = result.runs
    assert [(site.line, site.reason) for site in run.breaks] == [(6, "Data-dependent branching")]
    return run


@pytest.mark.parametrize(
    ("name", "code", "ended", "calls"),
    [
        ("crashes", 1, "exit 1", 2),
        ("is killed", 137, "SIGKILL", 1),
        ("is interrupted", 130, "SIGINT", 1),
        ("leaves at once", 3, "exit 3", 1),
        ("talks", 7, "exit 7", 1),
    ],
)
def test_what_happened_before_the_end_is_there(
    results: dict[str, Result], name: str, code: int, ended: str, calls: int
) -> None:
    run = the_run(results[name])
    assert (results[name].code, run.ended, len(run.calls)) == (code, ended, calls)
    assert [step.how for step in run.calls[0].steps] == ["compiled", "compiled"]
    assert run.seconds > 0


def test_the_error_is_the_programs_own(results: dict[str, Result]) -> None:
    assert results["crashes"].err.splitlines()[-1] == "ValueError: boom"
    assert "refactor" not in results["crashes"].err


def test_streams_and_arguments_are_passed_through(results: dict[str, Result]) -> None:
    assert results["talks"].out == "out in --flag a b\n"
    assert results["talks"].err.splitlines()[-1] == "err"


def test_nothing_else_is_written(results: dict[str, Result]) -> None:
    for result in results.values():
        files = {str(file.relative_to(result.folder)) for file in result.folder.rglob("*") if file.is_file()}
        assert files == {"program.py", ".refactor/.gitignore", ".refactor/trace.json"}


def test_a_forked_child_has_a_run_of_its_own(results: dict[str, Result]) -> None:
    parent, child = sorted(results["forks"].runs, key=lambda run: len(run.calls))
    assert child.parent == parent.pid
    assert (parent.ended, len(parent.calls), len(child.calls)) == ("exit 0", 1, 2)
    # The entries of before the fork serve the child as well; the other side of the branch it compiles itself.
    assert [[step.how for step in call.steps] for call in child.calls] == [["hit", "compiled"], ["hit", "hit"]]
    assert [len(run.breaks) for run in (parent, child)] == [1, 0]


def test_threads_are_told_apart(results: dict[str, Result]) -> None:
    run = the_run(results["has threads"])
    by_thread = [[call.thread for call in run.calls].count(thread) for thread in range(5)]
    assert by_thread == [1, 5, 5, 5, 5]
    assert [entry.calls for entry in run.entries] == [21, 21]


def test_a_reset_begins_anew(results: dict[str, Result]) -> None:
    run = the_run(results["forgets what is compiled"])
    assert [(entry.compile_id, entry.epoch) for entry in run.entries] == [
        ("0/0", 0),
        ("1/0", 0),
        ("0/0", 1),
        ("1/0", 1),
    ]
    assert [[step.how for step in call.steps] for call in run.calls] == [["compiled", "compiled"]] * 2
    assert run.breaks[0].events == 2


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        ((), 2, "expected a script"),
        (("absent.py",), 2, "there is no script absent.py"),
        (("--", "no-such-command"), 2, "cannot be started"),
        (("-m", "no_such_module"), 1, "No module named no_such_module"),
        (("--", "sh", "-c", "exit 5"), 5, ""),
        (("-o", "a file/x.json", "-m", "this"), 2, "cannot be written"),
    ],
)
def test_what_cannot_be_run_is_told(tmp_path: Path, command: tuple[str, ...], code: int, said: str) -> None:
    (tmp_path / "a file").touch()
    done = subprocess.run(
        [sys.executable, "-m", "refactor", "trace", *command], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == code
    assert said in done.stderr


def test_a_rank_has_a_file_of_its_own() -> None:
    from refactor.trace import default_output

    assert default_output({}) == Path(".refactor/trace.json")
    assert default_output({"RANK": "3"}) == Path(".refactor/trace-rank3.json")
    assert default_output({"RANK": ""}) == Path(".refactor/trace.json")
