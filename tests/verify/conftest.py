"""Small programs, judged in this process."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from refactor.verify.trial import examine
from refactor.verify.verdict import Request, Verdict

TAIL = """
def make_callable():
    torch.manual_seed(3)
    return {build}

def make_inputs():
    g = torch.Generator().manual_seed(4)
    return [{calls}]
"""


@pytest.fixture
def program() -> Callable[..., str]:
    """Makes a module of a body, the expression that builds the callable, and the calls (with `g`, a generator)."""

    def module(body: str, build: str = "f", calls: str = "((torch.randn(3, 4, generator=g),), {})") -> str:
        return f"import torch\nfrom torch import nn\n{textwrap.dedent(body)}{TAIL.format(build=build, calls=calls)}"

    return module


@pytest.fixture
def judged(tmp_path: Path) -> Callable[..., Verdict]:
    """Judges two texts that stand at `model.py`, in this process."""

    def judge_texts(old: str, new: str, **options: object) -> Verdict:
        path = tmp_path / "model.py"
        path.write_text(old, encoding="utf-8")
        settings = {"factory": "make_callable", "inputs": "make_inputs", "examples": 20, **options}
        return examine(Request(old=old, new=new, path=str(path), **settings))  # type: ignore[arg-type]

    return judge_texts
