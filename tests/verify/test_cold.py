"""Calls timed from a cold cache, in a process of their own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from refactor.verify import explain
from refactor.verify.verdict import Request

TEXT = """
import os
import torch

def f(x):
    os.write(1, b"not an answer")
    return x + 1

def make_callable():
    print("nor this")
    return f

def make_inputs():
    return [((torch.ones(n),), {}) for n in (2, 3, 4)]
"""


@pytest.fixture
def request_of(tmp_path: Path) -> Callable[[str], Request]:
    """A request about a text."""

    def made(text: str) -> Request:
        path = tmp_path / "model.py"
        path.write_text(text)
        return Request(text, text, str(path), factory="make_callable", inputs="make_inputs", backends=("eager",))

    return made


def test_each_call_has_a_figure_and_nothing_else_is_read(request_of: Callable[[str], Request]) -> None:
    figures = explain._in_a_new_process(request_of(TEXT), "old", [])
    assert len(figures) == 3
    assert all(figure >= 0 for figure in figures)


def test_what_cannot_be_built_has_none(request_of: Callable[[str], Request]) -> None:
    assert explain._in_a_new_process(request_of(TEXT.replace("return f", "raise ValueError")), "old", []) == []
