"""The plugin, in pytest runs of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

MODEL = """\
import torch
from torch import nn


class Gate(nn.Module):
    def forward(self, x):
        h = torch.relu(x)
        if h.sum() > 0.5:
            h = h * 2
        return h + 1
"""
TEST = """\
import pytest
import torch
from model import Gate


def test_fixture(assert_no_graph_breaks):
    out = assert_no_graph_breaks(Gate(), torch.ones(3))
    assert out.tolist() == [3.0, 3.0, 3.0]


@pytest.mark.graph_breaks(max=1)
def test_one_is_allowed(assert_no_graph_breaks):
    assert_no_graph_breaks(Gate(), torch.ones(3))


@pytest.mark.graph_breaks
def test_marked():
    torch.compile(Gate(), backend="eager")(torch.ones(3))


def test_plain():
    torch.compile(Gate(), backend="eager")(torch.ones(3))


def test_nothing_is_compiled():
    assert Gate()(torch.ones(3)).shape == (3,)
"""


@pytest.fixture
def run(pytester: pytest.Pytester):
    """Run the tests above in a process of their own: torch cannot be imported twice in one."""

    def pytest_run(*arguments: str, model: str = MODEL, test: str = TEST) -> pytest.RunResult:
        pytester.makepyfile(model=model, test_model=test)
        return pytester.runpytest_subprocess("-p", "no:cacheprovider", *arguments)

    return pytest_run


def outcomes(result: pytest.RunResult) -> dict[str, str]:
    """The outcome of each test by name, from `-rA`."""
    rows = (line.split(" - ")[0].split() for line in result.outlines if line.startswith(("PASSED ", "FAILED ")))
    return {row[1].partition("::")[2]: row[0] for row in rows}


BROKEN = {
    "test_fixture": "FAILED",
    "test_one_is_allowed": "PASSED",
    "test_marked": "FAILED",
    "test_plain": "PASSED",
    "test_nothing_is_compiled": "PASSED",
}


def test_a_model_that_breaks_fails_and_is_told_the_cure(run, pytester: pytest.Pytester):
    result = run("-rA")
    assert outcomes(result) == BROKEN
    text = result.stdout.str()
    assert "1 break site (none allowed)" in text
    assert f"{pytester.path / 'model.py'}:8: " in text
    assert "    TR101 tensor-branch: `refactor apply` rewrites this" in text
    assert "graphs 2, skipped frames 0, recompiles 0" in text


def test_the_rewritten_model_passes(run, pytester: pytest.Pytester):
    (pytester.path / "model.py").write_text(MODEL, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "refactor", "apply", "--isolated", "--verify", "off", "model.py"],
        cwd=pytester.path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    rewritten = (pytester.path / "model.py").read_text(encoding="utf-8")
    assert rewritten != MODEL
    assert set(outcomes(run("-rA", "--graph-breaks=fail", model=rewritten)).values()) == {"PASSED"}


@pytest.mark.slow
def test_every_test_can_be_measured(run):
    assert outcomes(run("-rA", "--graph-breaks=fail")) == {**BROKEN, "test_plain": "FAILED"}


@pytest.mark.slow
def test_break_sites_can_be_listed(run):
    result = run("-rA", "--graph-breaks=report", "-k", "plain or nothing")
    assert set(outcomes(result).values()) == {"PASSED"}
    result.stdout.fnmatch_lines(
        ["*= graph breaks =*", "test_model.py::test_plain", "  *model.py:8: *", "      TR101 *"]
    )


@pytest.mark.slow
def test_measuring_can_be_turned_off(run):
    result = run("-rA", "--graph-breaks=off", "-k", "marked")
    assert outcomes(result) == {"test_marked": "PASSED"}


@pytest.mark.slow
def test_a_frame_that_is_given_up_counts(run):
    loop = "        for _ in x:\n            print(1)\n"
    model = MODEL.replace("        if h.sum() > 0.5:\n            h = h * 2\n", loop)
    result = run("-rA", "-k", "fixture", model=model, test=TEST.replace("[3.0, 3.0, 3.0]", "[2.0, 2.0, 2.0]"))
    assert outcomes(result) == {"test_fixture": "FAILED"}


def test_a_wrong_marker_is_an_error(run):
    result = run(test="import pytest\n\n\n@pytest.mark.graph_breaks(most=1)\ndef test():\n    pass\n")
    result.stdout.fnmatch_lines(["*expected graph_breaks(max=NUMBER), got {'most': 1}"])


def test_torch_is_not_imported_without_need(pytester: pytest.Pytester):
    pytester.makepyfile(
        "import sys\n\n\ndef test():\n"
        "    assert not [m for m in ('torch', 'libcst', 'hypothesis.strategies', 'click') if m in sys.modules]\n"
    )
    others = ("cacheprovider", "hypothesispytest", "inline_snapshot", "pytest_lsp")
    arguments = [part for name in others for part in ("-p", f"no:{name}")]
    for more in ((), ("--graph-breaks=fail",)):
        result = pytester.runpytest_subprocess(*arguments, *more)
        result.assert_outcomes(passed=1)


def test_it_is_an_entry_point():
    from importlib.metadata import entry_points

    (found,) = [point for point in entry_points(group="pytest11") if point.name == "refactor"]
    assert found.value == "refactor.pytest_plugin"
    assert Path(found.load().__file__).name == "pytest_plugin.py"
