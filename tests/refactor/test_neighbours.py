"""Base classes in other files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from refactor.engine import Options, inspect, rewrite
from refactor.neighbours import with_neighbours
from refactor.transforms.model import RuleSettings
from refactor.transforms.source import Source

BASE = "from torch import nn\n\n\nclass Block(nn.Module):\n    def _forward(self, x):\n        return x\n"
MODEL = """\
import torch
{line}


class Model({base}):
    def forward(self, x):
        if x.sum() > 0:
            x = x * 2
        return torch.relu(x)
"""


def settings(tmp_path: Path, files: Mapping[str, str], text: str, where: str = "pkg/model.py") -> RuleSettings:
    for name, content in {**files, where: text}.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return with_neighbours(Source(text, where), RuleSettings(), str(tmp_path / where))


@pytest.mark.parametrize(
    ("files", "line", "base"),
    [
        ({"pkg/base.py": BASE}, "from .base import Block", "Block"),
        ({"pkg/base.py": BASE}, "from .base import Block as B", "B"),
        ({"pkg/base.py": BASE}, "from . import base", "base.Block"),
        ({"pkg/base.py": BASE}, "from pkg.base import Block", "Block"),
        ({"pkg/base.py": BASE}, "import pkg.base", "pkg.base.Block"),
        ({"base.py": BASE}, "from ..base import Block", "Block"),
        (
            {"pkg/__init__.py": "from .a import *\nfrom .base import *\n", "pkg/a.py": "", "pkg/base.py": BASE},
            "from . import Block",
            "Block",
        ),
        ({"base.py": BASE}, "from base import Block", "Block"),
        (
            {"pkg/base/__init__.py": "from .impl import Block\n", "pkg/base/impl.py": BASE},
            "from .base import Block",
            "Block",
        ),
        (
            {"pkg/base.py": BASE, "pkg/mid.py": "from .base import Block\n\n\nclass Mid(Block):\n    pass\n"},
            "from .mid import Mid",
            "Mid",
        ),
        ({"pyproject.toml": "", "src/lib/base.py": BASE}, "from lib.base import Block", "Block"),
        (
            {"pkg/base.py": f"try:\n    import x\nexcept ImportError:\n    pass\n{BASE}"},
            "from .base import Block",
            "Block",
        ),
    ],
)
def test_a_base_that_is_a_module(tmp_path: Path, files: Mapping[str, str], line: str, base: str) -> None:
    found = settings(tmp_path, files, MODEL.format(line=line, base=base))
    assert len(found.modules) == 1
    assert "_forward" in found.inherited


@pytest.mark.parametrize(
    ("files", "line", "base"),
    [
        ({}, "from .base import Block", "Block"),
        ({"pkg/base.py": "class Block:\n    pass\n"}, "from .base import Block", "Block"),
        ({"pkg/base.py": "class Block(\n"}, "from .base import Block", "Block"),
        ({"pkg/base.py": "from .model import Block\n"}, "from .base import Block", "Block"),
        ({"pkg/base.py": BASE}, "from .base import Other", "Other"),
        ({"pkg/base.py": "from .base import Block\n"}, "from .base import Block", "Block"),
        (
            {"pkg/base.py": "from .other import *\n", "pkg/other.py": "from .base import *\n"},
            "from .base import Block",
            "Block",
        ),
        ({"pkg/base.py": "from torch.nn import *\n"}, "from .base import Block", "Block"),
        ({"a.py": "from b import C\n", "b.py": "from a import C\n"}, "from a import C", "C"),
    ],
)
def test_a_base_that_is_none(tmp_path: Path, files: Mapping[str, str], line: str, base: str) -> None:
    assert settings(tmp_path, files, MODEL.format(line=line, base=base)).modules == frozenset()


def test_nothing_is_looked_up_without_a_place(tmp_path: Path) -> None:
    text = MODEL.format(line="from .base import Block", base="Block")
    assert with_neighbours(Source(text, "m.py"), RuleSettings(), "") == RuleSettings()


def test_a_device_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "base.py").symlink_to("/dev/zero")
    assert settings(tmp_path, {}, MODEL.format(line="from .base import Block", base="Block")).modules == frozenset()


def test_a_model_whose_base_is_elsewhere_is_rewritten(tmp_path: Path) -> None:
    text = MODEL.format(line="from .base import Block", base="Block")
    settings(tmp_path, {"pkg/base.py": BASE}, text)
    options = Options(frozenset({"TR101", "TR102"}), verify="off", path=str(tmp_path / "pkg" / "model.py"))
    assert [f.code for f in inspect(text, "model.py", options)[1]] == ["TR102"]
    new = rewrite(text, "model.py", options).new
    assert "self._forward_2(x, " in new
    assert "self._forward(x" not in new
