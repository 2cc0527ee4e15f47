"""Functions of other files, by what they return."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from refactor.engine import Options, inspect, rewrite
from refactor.foreign import returned_elsewhere
from refactor.transforms.facts.values import Tag
from refactor.transforms.source import Source

GATE = "import torch\n\n\ndef gate(x):\n    return torch.softmax(x, -1).amax()\n"
MODEL = """\
import torch
from torch import nn
from .gates import gate


class Model(nn.Module):
    def forward(self, x):
        scale = gate(x)
        if scale > 0:
            y = x * 2
        else:
            y = x - 1
        return torch.relu(y)
"""


def written(tmp_path: Path, files: Mapping[str, str]) -> Path:
    for name, content in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return tmp_path / "pkg" / "model.py"


def told(tmp_path: Path, helper: str, use: str = "y = gate(x)") -> Tag | None:
    text = f"import torch\nfrom .gates import gate\n\n\ndef run(x):\n    {use}\n    return y\n"
    path = written(tmp_path, {"pkg/gates.py": helper, "pkg/model.py": text})
    found = returned_elsewhere(Source(text, str(path)), path)
    return found["<.>.gates.gate"].tag if found else None


@pytest.mark.parametrize(
    ("helper", "tag"),
    [
        (GATE, Tag.TENSOR),
        ("import torch\ndef gate(x) -> torch.Tensor:\n    return x.anything\n", Tag.TENSOR),
        ("import torch\n@torch.no_grad()\ndef gate(x):\n    return torch.relu(x)\n", Tag.TENSOR),
        ("def gate(x):\n    return len(x)\n", Tag.HOST),
        ("import torch\ndef gate(x):\n    return torch.relu(x), x.shape[0]\n", Tag.SEQUENCE),
        ("import torch\ndef inner(x):\n    return torch.relu(x)\ndef gate(x):\n    return inner(x)\n", Tag.TENSOR),
    ],
)
def test_what_is_returned(tmp_path: Path, helper: str, tag: Tag) -> None:
    assert told(tmp_path, helper) is tag


@pytest.mark.parametrize(
    "helper",
    [
        "def gate(x):\n    return x.anything\n",
        "import torch\nfrom other import wrapped\n@wrapped\ndef gate(x):\n    return torch.relu(x)\n",
        "import torch\ndef gate(x):\n    return torch.relu(x)\ndef gate(x):\n    return 1\n",
        "import torch\ndef gate(x):\n    return torch.relu(x)\ngate = len\n",
        "import torch\nasync def gate(x) -> torch.Tensor:\n    return torch.relu(x)\n",
        "import torch\ndef gate(x):\n    yield torch.relu(x)\n",
        "import torch\ndef gate(x) -> torch.Tensor:\n    return torch.relu(x) if x.anything else 1\n",
        "class gate:\n    pass\n",
        "def gate(x:\n",
        "",
    ],
)
def test_what_is_not_told(tmp_path: Path, helper: str) -> None:
    assert told(tmp_path, helper) is None


def test_a_call_without_use_is_not_looked_up(tmp_path: Path) -> None:
    assert told(tmp_path, GATE, "gate(x); y = x") is None


def test_what_is_returned_is_found_through_a_package(tmp_path: Path) -> None:
    text = "import torch\nfrom . import gate\n\n\ndef run(x):\n    return gate(x) > 0\n"
    files = {"pkg/__init__.py": "from .gates import gate\n", "pkg/gates.py": GATE, "pkg/model.py": text}
    path = written(tmp_path, files)
    assert returned_elsewhere(Source(text, str(path)), path)["<.>.gate"].tag is Tag.TENSOR


def test_it_changes_with_the_file(tmp_path: Path) -> None:
    assert told(tmp_path, GATE) is Tag.TENSOR
    assert told(tmp_path, "def gate(x):\n    return len(x) + 1\n") is Tag.HOST


def test_a_branch_on_what_a_helper_of_another_file_gives_is_rewritten(tmp_path: Path) -> None:
    path = written(tmp_path, {"pkg/gates.py": GATE, "pkg/model.py": MODEL})
    options = Options(select=frozenset({"TR101"}), verify="off", path=str(path))
    (finding,) = inspect(MODEL, str(path), options)[1]
    assert finding.code == "TR101"
    made = rewrite(MODEL, str(path), options)
    assert made.changed
    assert "if scale > 0" not in made.new
    alone = Options(select=frozenset({"TR101"}), verify="off")
    assert not inspect(MODEL, "model.py", alone)[1]
