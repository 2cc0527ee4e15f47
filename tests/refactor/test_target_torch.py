"""The oldest torch that rewritten code has to run on."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from refactor.cli import main
from refactor.config import Resolver
from refactor.target_torch import floor, installed, parsed
from refactor.transforms.facts.sinks import NEEDS_TORCH

CHECKED = """\
import torch
from torch import nn


class Model(nn.Module):
    def forward(self, x):
        assert not torch.isnan(x).any(), "not a number"
        return x + 1
"""


@pytest.mark.parametrize(
    ("requirements", "wanted"),
    [
        (["numpy>=1.26", "torch>=2.6"], "2.6"),
        (["torch>=2.10,<3; python_version < '3.13'"], "2.10"),
        (["torch[opt] ~= 2.7.1"], "2.7"),
        (["torch (>=2.4)"], "2.4"),
        (["torch==2.8.*"], "2.8"),
        (["Torch>=2.9", "torch>=2.11"], "2.11"),
        (["torch"], None),
        (["torch<3"], None),
        (["torchvision>=0.20", "torch-scatter>=2.1", "pytorch-lightning>=2.4"], None),
        (["torch @ https://example.org/torch.whl"], None),
        ([], None),
    ],
)
def test_the_lower_bound_of_a_project(requirements: list[str], wanted: str | None) -> None:
    assert floor(requirements) == wanted


def test_versions_are_compared_by_their_first_two_numbers() -> None:
    assert parsed("2.6") < parsed("2.10.1") < parsed("2.13.0+cpu") == (2, 13)
    assert installed() is not None


def project(folder: Path, text: str) -> Resolver:
    (folder / "pyproject.toml").write_text(text)
    return Resolver()


def test_the_nearest_project_is_asked_unless_a_setting_says_otherwise(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "pyproject.toml").write_text("[tool.other]\n")
    bound = '[project]\nname = "a"\ndependencies = ["torch>=2.7"]\n'
    config = project(tmp_path, bound).for_file(tmp_path / "inner" / "m.py")
    assert config.settings.target_torch == "2.7"
    assert config.origin["target-torch"] == str(tmp_path / "pyproject.toml")
    said = project(tmp_path, f'{bound}[tool.refactor]\ntarget-torch = "2.12"\n').for_folder(tmp_path)
    assert said.settings.target_torch == "2.12"
    assert Resolver(isolated=True).for_folder(tmp_path).settings.target_torch is None


@pytest.mark.parametrize(("bound", "fixable"), [("2.9", False), ("2.10", True)])
def test_what_needs_a_later_release_is_refused(tmp_path: Path, bound: str, fixable: bool) -> None:
    assert NEEDS_TORCH == (2, 10)
    project(tmp_path, f'[project]\nname = "a"\ndependencies = ["torch>={bound}"]\n')
    (tmp_path / "m.py").write_text(CHECKED)
    told = CliRunner().invoke(main, ["check", str(tmp_path / "m.py"), "--select", "TR103", "--no-cache"]).output
    assert ("`refactor apply` rewrites this" in told) is fixable
    assert ("what it becomes needs torch 2.10, and 2.9 is to be supported" in told) is not fixable


def test_a_version_that_is_none_is_an_error(tmp_path: Path) -> None:
    project(tmp_path, '[tool.refactor]\ntarget-torch = "newest"\n')
    (tmp_path / "m.py").write_text(CHECKED)
    done = CliRunner().invoke(main, ["check", str(tmp_path / "m.py")])
    assert done.exit_code == 2
    assert "target-torch" in done.output
