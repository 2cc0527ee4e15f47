"""The README's before and after are what the tool makes of the example."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


pytestmark = pytest.mark.xdist_group("demo")


@pytest.fixture(scope="module")
def demo() -> subprocess.CompletedProcess[str]:
    """One run of what `make demo` runs."""
    command = [sys.executable, "-m", "refactor", "apply", "examples/policy.py"]
    named = ["--factory", "make_callable", "--inputs", "make_inputs", "--dry-run"]
    return subprocess.run([*command, *named], cwd=ROOT, capture_output=True, text=True, check=False)


def blocks(language: str) -> list[str]:
    """The code blocks of the README's section on before and after."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    section = text.partition("## Before and after")[2].partition("\n## ")[0]
    return re.findall(rf"^```{language}\n(.*?)^```", section, re.MULTILINE | re.DOTALL)


def test_the_figures_are_those_of_the_tool(demo: subprocess.CompletedProcess[str]) -> None:
    (figures,) = blocks("text")
    assert figures.strip() in demo.stderr
    assert demo.returncode == 0


def test_the_code_is_that_of_the_example_and_its_patch(demo: subprocess.CompletedProcess[str]) -> None:
    before, after = blocks("python")
    source = (ROOT / "examples" / "policy.py").read_text(encoding="utf-8")
    assert before in source
    patch = demo.stdout.splitlines()
    made = "\n".join(line[1:] for line in patch if line[:1] in ("+", " "))
    assert after.rstrip() in made


def test_the_patch_applies_to_the_example(demo: subprocess.CompletedProcess[str]) -> None:
    command = ["git", "apply", "--check", "-"]
    done = subprocess.run(command, cwd=ROOT, input=demo.stdout, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
