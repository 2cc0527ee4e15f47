"""Comparisons of tensors with numbers that are the same without reading the tensor."""

from __future__ import annotations

import ast
import operator

import pytest
import torch

from refactor.transforms.facts import Facts
from refactor.transforms.facts.questions import compared
from refactor.transforms.source import Source


def form(test: str, parameters: str = "x: torch.Tensor") -> str | None:
    body = f"    y = x.float().sum()\n    n = (x > 0).sum()\n    if {test}:\n        pass\n"
    facts = Facts(Source(f"import torch\n\ndef f({parameters}):\n{body}"))
    (branch,) = facts.names.nodes(ast.If)
    return compared(branch.test, facts, ast.unparse)


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("y.item() > 0.0", "y > 0.0"),
        ("0.5 <= y.item()", "0.5 <= y"),
        ("float(y) == -1", "y == -1"),
        ("(y + 1).item() != 96", "(y + 1) != 96"),
        ("n.item() >= 3", "n >= 3"),
        ("y.item() > 0.1", None),  # float32 has no 0.1
        ("y.item() > 1e-8", None),
        ("y.item() > 200", None),  # int8 has no 200
        ("n.item() > -1", None),  # uint8 has no -1
        ("y.item() > limit", None),
        ("x.item() > 0", None),  # of one element, perhaps, but not known to be 0-d
        ("y.item() > n.item()", None),
        ("0 < y.item() < 1", None),
        ("y.item() in (0, 1)", None),
        ("int(y) > 0", None),  # it cuts off
    ],
)
def test_compared(test: str, expected: str | None) -> None:
    assert form(test, "x: torch.Tensor, limit: float = 0.5") == expected


DTYPES = (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int8, torch.uint8, torch.int64, torch.bool)
NUMBERS = ("0.0", "0.5", "1", "1.0", "3", "96", "127", "0.125", "2.5")


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_the_answers_are_those_of_the_number(dtype: torch.dtype) -> None:
    numbers = [float(n) for n in NUMBERS if form(f"y.item() > {n}") is not None]
    assert len(numbers) == len(NUMBERS)
    if dtype.is_floating_point:
        numbers += [-n for n in numbers]
    near = [torch.tensor(n).to(dtype) for n in numbers]
    if dtype.is_floating_point:
        limits = [torch.tensor(x, dtype=dtype) for x in (float("inf"), float("-inf"), float("nan"))]
        near += [torch.nextafter(t, limit) for t in near for limit in limits[:2]] + limits
    for tensor in near:
        for number in numbers:
            for ask in (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne):
                assert ask(tensor.item(), number) == bool(ask(tensor, number)), (tensor, number, ask)
