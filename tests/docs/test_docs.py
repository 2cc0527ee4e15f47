"""The documentation says what the tool does."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from refactor.cli import main
from refactor.transforms.rule import Rule, registry

ROOT = Path(__file__).resolve().parents[2]
HEADINGS = ["What it does", "Why", "Example", "Use instead", "Fix safety"]


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def generate(*arguments: str) -> subprocess.CompletedProcess[str]:
    script = ROOT / "tools" / "generate_rule_docs.py"
    return subprocess.run([sys.executable, script, *arguments], capture_output=True, text=True, check=False)


def test_the_rule_pages_are_those_of_the_docstrings() -> None:
    done = generate("--check")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("rule", registry().values(), ids=lambda rule: rule.name)
def test_a_rule_is_documented_under_the_fixed_headings(rule: Rule) -> None:
    found = re.findall(r"^## (.+)$", rule.documentation, re.MULTILINE)
    assert found[: len(HEADINGS)] == HEADINGS
    assert rule.summary.endswith(".")


def test_the_readme_names_every_subcommand() -> None:
    assert isinstance(main, click.Group)
    table = set(re.findall(r"^\| `refactor (\w+)", read("README.md"), re.MULTILINE))
    assert table == set(main.commands)


def test_the_readme_names_every_rule() -> None:
    table = re.findall(r"^\| (TR\d+) \| \[(.+?)\]", read("README.md"), re.MULTILINE)
    assert table == [(rule.code, rule.name) for rule in registry().values()]


def test_the_readme_and_the_guarantees_have_the_same_contracts() -> None:
    short = re.findall(r"^(\d+)\. \*\*(.+?)\*\*", read("README.md"), re.MULTILINE)
    full = re.findall(r"^## (\d+)\. (.+)$", read("docs/guarantees.md"), re.MULTILINE)
    assert short
    assert [(number, name.rstrip(".")) for number, name in short] == full


@pytest.mark.parametrize(
    "name", ["README.md", "CONTRIBUTING.md", *sorted(str(p.relative_to(ROOT)) for p in ROOT.glob("docs/**/*.md"))]
)
def test_relative_links_lead_somewhere(name: str) -> None:
    folder = (ROOT / name).parent
    targets = re.findall(r"\]\((?!https?://|#)([^)#]+)", read(name))
    assert [target for target in targets if not (folder / target).exists()] == []
