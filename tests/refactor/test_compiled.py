"""Compile calls in one file on what another defines."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from refactor.compiled import compiled_elsewhere
from refactor.transforms.facts import Facts
from refactor.transforms.model import RuleSettings
from refactor.transforms.source import Source

MODEL = """\
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        return x


def step(x):
    return x
"""


def found(tmp_path: Path, files: Mapping[str, str]) -> dict[str, frozenset[str]]:
    paths = [tmp_path / name for name in files]
    for path, text in zip(paths, files.values(), strict=True):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return {path.relative_to(tmp_path).as_posix(): names for path, names in compiled_elsewhere(paths).items()}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("import torch\nfrom pkg.model import Net\nnet = torch.compile(Net())\n", "Net"),
        ("import torch\nfrom pkg.model import Net as N\nn = N()\nc = torch.compile(n, mode='default')\n", "Net"),
        ("import torch\nfrom .model import step\nfast = torch.compile(step)\n", "step"),
        ("import torch\nfrom . import model\nfast = torch.compile(model.step)\n", "step"),
        ("import torch\nimport pkg.model\nfast = torch.compile(pkg.model.step)\n", "step"),
        ("import torch\nfrom .again import Net\nn = Net()\nn.compile()\n", "Net"),
        ("import torch\nfrom .all import step\nfast = torch.compile(step)\n", "step"),
    ],
)
def test_what_another_file_compiles(tmp_path: Path, text: str, name: str) -> None:
    others = {"pkg/again.py": "from .model import Net\n", "pkg/all.py": "from .model import *\n"}
    files = {"pkg/__init__.py": "", "pkg/model.py": MODEL, "pkg/main.py": text, **others}
    assert found(tmp_path, files) == {"pkg/model.py": frozenset({name})}


@pytest.mark.parametrize(
    "text",
    [
        "import torch\nfrom .model import Net\nnet = Net()\n",
        "import re\nfrom .model import step\nx = re.compile(step)  # torch\n",
        "import torch\nfrom nowhere import Net\nnet = torch.compile(Net())\n",
        "import torch\nfrom .model import Other\nnet = torch.compile(Other())\n",
        "import torch\nfrom .model import step\ndef f(step): return torch.compile(step)\n",
        "import torch\nfrom .around import Net\nnet = torch.compile(Net())\n",
        "import torch, torch.nn as nn\nnet = torch.compile(nn.Linear(2, 2))\n",
        "import torch\ntorch.compile(\n",
    ],
)
def test_what_no_other_file_compiles(tmp_path: Path, text: str) -> None:
    around = {"pkg/around.py": "from .main import Net\n"}
    assert found(tmp_path, {"pkg/__init__.py": "", "pkg/model.py": MODEL, "pkg/main.py": text, **around}) == {}


@pytest.mark.parametrize("name", ["Net", "step"])
def test_it_is_a_compiled_entry(name: str) -> None:
    facts = Facts(Source(MODEL), RuleSettings(compiled=frozenset({name})))
    regions = {f.name: facts.regions.of(f) for f in facts.names.functions()}
    region = regions["forward" if name == "Net" else "step"]
    assert (region.entry, region.explicit, region.evidence.because) == (
        True,
        True,
        "another file of the project compiles it",
    )
    assert not regions["step" if name == "Net" else "forward"].explicit
