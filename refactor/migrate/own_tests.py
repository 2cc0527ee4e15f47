"""The repository's own commands: a program to trace, its tests, in an environment of its own."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import UserError
from ..trace import read
from .model import Policy, SuiteRun
from .process import run

_TAIL_LINES = 15
# `python -m` looks into the working directory first, which must not be the repository's.
_ENTER = 'cd "$1" && exec /bin/sh -c "$2"'
_GRACE_S = 20.0
_COUNTS = re.compile(r"(\d+) (passed|failed|error)")
_OK = re.compile(r"^Ran (\d+) tests?", re.MULTILINE)
_BAD = re.compile(r"^FAILED \((.*)\)", re.MULTILINE)


@dataclass
class Runner:
    """Runs the commands of one repository.

    Attributes:
        notes: what the user should hear.
    """

    policy: Policy
    root: Path
    env: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, policy: Policy, root: Path) -> Runner:
        """The runner for a checkout; makes its virtual environment where the policy asks for one.

        Raises:
            UserError: the environment cannot be made.
        """
        runner = cls(policy, root)
        python = Path(policy.python).absolute() if policy.python else None
        if policy.install:
            python = runner._installed(python)
        runner.env = _environment(root, python)
        return runner

    def _installed(self, python: Path | None) -> Path:
        """A virtual environment beside the checkout, with the packages of its base in sight."""
        folder = self.root.parent / "environment"
        make = [str(python or sys.executable), "-m", "venv", "--system-site-packages", str(folder)]
        mine = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
        for command in (make, [str(mine), "-m", "pip", "install", "--quiet", *shlex.split(self.policy.install)]):
            try:
                done = run(command, self.root, _environment(self.root, None), self.policy.test_timeout_s, merged=True)
            except (OSError, subprocess.TimeoutExpired) as error:
                raise UserError(f"the environment cannot be made: {error}") from None
            if done.returncode != 0:
                raise UserError(f"the environment cannot be made: {_last_line(done.stdout)}")
        return mine

    def trace(self, output: Path) -> tuple[str, ...]:
        """Run the program to be traced under the recorder.

        Args:
            output: where the trace goes.

        Returns:
            The traces to take as evidence: none where the policy names no program, or where it compiled nothing.
        """
        if not self.policy.trace:
            return ()
        recorder = [sys.executable, "-m", "refactor", "trace", "-o", str(output), "--"]
        command = [*recorder, "/bin/sh", "-c", _ENTER, "sh", str(self.root), self.policy.trace]
        limit = self.policy.test_timeout_s
        try:
            done = run(command, self.root.parent, self.env, limit, merged=True, grace_s=_GRACE_S)
        except subprocess.TimeoutExpired:
            self.notes.append(f"the traced program was ended after {limit:g} s")
        else:
            if done.returncode:
                said = _last_line(done.stdout)
                self.notes.append(f"the traced program ended with status {done.returncode}: {said}")
        if output.exists() and any(held.entries or held.breaks or held.skips for held in read(output).runs):
            return (str(output),)
        self.notes.append("the traced program compiled nothing")
        return ()

    def test(self) -> SuiteRun | None:
        """Run the tests; None where the policy names none."""
        if not self.policy.test:
            return None
        started = time.monotonic()
        try:
            done = run(self.policy.test, self.root, self.env, self.policy.test_timeout_s, merged=True)
        except subprocess.TimeoutExpired:
            limit = self.policy.test_timeout_s
            return SuiteRun(124, seconds=limit, tail=f"no answer within {limit:g} s")
        text = done.stdout.decode("utf-8", "replace")
        passed, failed = _counted(text)
        tail = "\n".join(text.splitlines()[-_TAIL_LINES:])
        return SuiteRun(done.returncode, passed, failed, round(time.monotonic() - started, 3), tail)


def _last_line(output: bytes) -> str:
    return (output.decode("utf-8", "replace").strip().splitlines() or ["it says nothing"])[-1]


def _environment(root: Path, python: Path | None) -> dict[str, str]:
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PYTEST_"))}
    # Compiled files of one state of the tree must not be taken for those of the next within the same second.
    variables |= {"PYTHONDONTWRITEBYTECODE": "1", "PWD": str(root)}
    if python is not None:
        variables["PATH"] = f"{python.parent}{os.pathsep}{variables.get('PATH', os.defpath)}"
        variables.pop("PYTHONHOME", None)
    return variables


def _counted(text: str) -> tuple[int | None, int | None]:
    """How many tests passed and failed, from the last line of pytest or the summary of unittest."""
    for line in reversed(text.splitlines()):
        found = {word: int(number) for number, word in _COUNTS.findall(line)}
        if found and (" in " in line or "===" in line):
            return found.get("passed", 0), found.get("failed", 0) + found.get("error", 0)
    ran = _OK.search(text)
    if ran is None:
        return None, None
    bad = _BAD.search(text)
    failed = sum(int(number) for number in re.findall(r"=(\d+)", bad[1])) if bad else 0
    return int(ran[1]) - failed, failed
