"""Is this expression a tensor, a Python value, a module?"""

from __future__ import annotations

import ast
import textwrap

import pytest

from refactor.transforms.facts import Facts
from refactor.transforms.facts.values import SCALAR
from refactor.transforms.source import Source

HEADER = """\
import logging
import math
import numpy as np
import torch
from typing import Optional, Union
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.distributions import Normal
import torch.nn.functional as F

LIMIT = 3
logger = logging.getLogger(__name__)


def twice(v):
    return v * 2


"""


def kind(body: str, parameters: str = "x: Tensor, y, n, **kw") -> tuple[str, str]:
    """The kind of the argument of `probe(…)` and how it is known."""
    facts = Facts(Source(HEADER + f"def f({parameters}):\n" + textwrap.indent(textwrap.dedent(body), "    ")))
    (call,) = [n for n in facts.names.nodes(ast.Call) if isinstance(n.func, ast.Name) and n.func.id == "probe"]
    value = facts.kinds.of(call.args[0])
    return value.tag.value + ("?" if value.optional else ""), value.level.value


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        ("x: torch.Tensor", "tensor"),
        ("x: Tensor", "tensor"),
        ("x: 'Tensor'", "tensor"),
        ("x: Optional[Tensor]", "tensor?"),
        ("x: Tensor | None", "tensor?"),
        ("x: Union[Tensor, None]", "tensor?"),
        ("x: Tensor = None", "tensor?"),
        ("x: 'Optional[torch.Tensor]' = None", "tensor?"),
        ("x: Float[Tensor, 'b c']", "tensor"),
        ("x: Float[np.ndarray, 'b c']", "unknown"),
        ("x: Union[Tensor, float]", "unknown"),
        ("x: torch.LongTensor", "tensor"),
        ("x: nn.Module", "module"),
        ("x: int", "host"),
        ("x: float | None", "host?"),
        ("x: list[Tensor]", "sequence"),
        ("x: tuple[int, ...]", "sequence"),
        ("x: torch.dtype", "host"),
        ("x: np.ndarray", "unknown"),
        ("x: Unheard", "unknown"),
        ("x=1", "host"),
        ("x=(1, 2)", "sequence"),
        ("x=None", "unknown?"),
        ("x", "unknown"),
        ("*x", "sequence"),
        ("**x", "sequence"),
    ],
)
def test_parameters(annotation: str, expected: str) -> None:
    assert kind("probe(x)", annotation)[0] == expected


def test_a_class_of_the_file_is_no_tensor_whatever_its_name() -> None:
    facts = Facts(Source("class Tensor: ...\nclass Float: ...\ndef f(x: Tensor, y: Float[int]):\n    probe(x, y)\n"))
    (call,) = facts.names.nodes(ast.Call)
    assert [facts.kinds.of(a).tag.value for a in call.args] == ["unknown", "unknown"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("torch.abs(y)\nprobe(y)", ("tensor", "proved")),
        ("y.softmax(-1)\nprobe(y)", ("tensor", "assumed")),
        ("y.to(n).softmax(-1)\nprobe(y)", ("tensor", "assumed")),
        ("y[:, 0]\nprobe(y)", ("tensor", "assumed")),
        ("y[n].softmax(-1)\nprobe(y)", ("tensor", "assumed")),
        ("(y == 0).any()\nprobe(y)", ("tensor", "assumed")),
        ("z = y.abs()\n(y - z).pow(2)\nprobe(y)", ("tensor", "assumed")),
        ("(x - y).abs()\nprobe(y)", ("tensor", "assumed")),
        ("z = x.abs()\n(z == y).squeeze(0)\nprobe(y)", ("unknown", "unknown")),
        ("(x.var() + y).sqrt()\nprobe(y)", ("unknown", "unknown")),
        ("y.device\nprobe(y)", ("tensor", "assumed")),
        ("range(y)\nprobe(y)", ("host", "assumed")),
        ("y.split(1)\nprobe(y)", ("unknown", "unknown")),
        ("y.index(1)\nprobe(y)", ("unknown", "unknown")),
        ("y[0]\nprobe(y)", ("unknown", "unknown")),
        ("y[1:]\nprobe(y)", ("unknown", "unknown")),
        ("not y\nprobe(y)", ("unknown", "unknown")),
        ("y.all\nprobe(y)", ("unknown", "unknown")),
        ("np.abs(y)\nprobe(y)", ("unknown", "unknown")),
        ("if isinstance(y, torch.Tensor):\n    probe(y)", ("tensor", "proved")),
        ("if torch.is_tensor(y):\n    probe(y)", ("tensor", "proved")),
        ("if isinstance(y, int):\n    probe(y)", ("host", "proved")),
        ("if isinstance(y, (int, float)):\n    probe(y)", ("unknown", "unknown")),
        ("if not isinstance(y, torch.Tensor):\n    y = torch.tensor(y)\nprobe(y)", ("tensor", "proved")),
    ],
)
def test_by_use(body: str, expected: tuple[str, str]) -> None:
    assert kind(body) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *[(t, "tensor") for t in ("x + 1", "1 - x", "-x", "x > 0", "x[0]", "x[x > 0]", "x.T", "x.data", "x.view(-1)")],
        *[(t, "tensor") for t in ("torch.zeros(2)", "F.relu(x)", "torch.where(x > 0, x, 0)", "twice(x)", "abs(x)")],
        *[(t, "tensor") for t in ("x @ y", "x == y", "x.sum()", "x.max()", "x if n else x + 1", "x.float()")],
        *[(t, "host") for t in ("x.shape", "x.shape[0]", "x.dtype", "x.numel()", "x.item()", "len(x)", "x is None")],
        *[(t, "host") for t in ("float(x)", "bool(x)", "isinstance(x, int)", "n is None", "x in y", "f'{x}'", "'a'")],
        *[(t, "host") for t in ("1 + 2", "math.pi", "torch.float32", "LIMIT", "not x", "torch.finfo(x.dtype).max")],
        *[(t, "sequence") for t in ("(x, n)", "[x]", "{'a': x}", "x.chunk(2)", "x.max(0)", "[v for v in x]", "kw")],
        *[(t, "unknown") for t in ("y", "y.a", "y(x)", "unheard", "max(x, y)", "x if n else 1", "y + 1", "kw['a']")],
        *[(t, "unknown") for t in ("np.abs(x)", "x.unheard()", "sum(y)", "y[0]", "twice(y)", "next(y)")],
        *[(t, "tensor") for t in ("x.max(-1).values", "x.topk(2)[1]", "torch.sort(x).indices", "x.chunk(2)[n]")],
        *[(t, "tensor") for t in ("Normal(x, 1).log_prob(y)", "Normal(x, 1).sample()", "Normal(x, 1).mean")],
        ("Normal(x, 1).unheard", "unknown"),
        ("Normal(x, 1)", "instance"),
        ("n and x", "unknown"),
        ("True and x", "tensor?"),
        ("x if n else None", "tensor?"),
        ("None", "none"),
        ("logger", "logger"),
        ("nn.Linear(2, 2)", "module"),
        ("lambda: x", "callable"),
        ("twice", "callable"),
        ("torch.abs", "callable"),
    ],
)
def test_expressions(text: str, expected: str) -> None:
    assert kind(f"probe({text})")[0] == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("y = x\nif n:\n    y = 1\nprobe(y)", "unknown"),
        ("y = None\nif n:\n    y = x\nprobe(y)", "tensor?"),
        ("y = None\nif n:\n    y = x\nif y is not None:\n    probe(y)", "tensor"),
        ("y = None\nif n:\n    y = x\nif y is None:\n    y = x + 1\nprobe(y)", "tensor"),
        ("for y in x:\n    probe(y)", "tensor"),
        ("for i, y in enumerate(x):\n    probe(y)", "tensor"),
        ("for i, y in enumerate(x):\n    probe(i)", "host"),
        ("for a, y in zip(n, x):\n    probe(y)", "tensor"),
        ("for y in range(3):\n    probe(y)", "host"),
        ("for y in n:\n    probe(y)", "unknown"),
        ("y, z = x.chunk(2)\nprobe(z)", "tensor"),
        ("y, z = x.max(0)\nprobe(z)", "tensor"),
        ("(y, z), w = (x, 1), n\nprobe(y)", "tensor"),
        ("y, *z = x, 1, 2\nprobe(z)", "sequence"),
        ("y = x.max(-1)\nprobe(y.values)", "tensor"),
        ("y = x.sort()\nprobe(y[1])", "tensor"),
        ("for y in x.unbind(0):\n    probe(y)", "unknown"),
        ("y = x\ndel y\nprobe(y)", "unknown"),
        ("with n as y:\n    probe(y)", "unknown"),
        ("try:\n    y = x\nexcept ValueError as y:\n    probe(y)", "unknown"),
        ("y = 1\ny += x\nprobe(y)", "tensor"),
        ("y = x\ny += 1\nprobe(y)", "tensor"),
        ("if (y := x.sum()) > 0:\n    probe(y)", "tensor"),
        ("def g():\n    probe(x)", "unknown"),
        ("len = n\nprobe(len(x))", "unknown"),
    ],
)
def test_statements(body: str, expected: str) -> None:
    assert kind(body)[0] == expected


@pytest.mark.parametrize(
    ("text", "number"),
    [
        *[
            (t, True)
            for t in ("F.mse_loss(x, n)", "F.cross_entropy(x, y, None)", "nn.MSELoss()(x, n)", "torch.dot(x, x)")
        ],
        *[(t, True) for t in ("torch.tensor(1.0)", "torch.tensor(0, dtype=torch.int32) / 2")],
        *[(t, False) for t in ("torch.tensor(n)", "torch.tensor([1.0])")],
        *[(t, True) for t in ("F.kl_div(x, x, reduction='batchmean')", "x.max(-1).values.min()")],
        *[
            (t, False)
            for t in ("F.mse_loss(x, x, reduction='none')", "F.mse_loss(x, x, reduction=n)", "x.max(-1).values")
        ],
        *[(t, False) for t in ("nn.L1Loss(reduction='none')(x, x)", "F.mse_loss(x, x, None, False)", "F.l1_loss(*y)")],
    ],
)
def test_losses_are_numbers(text: str, number: bool) -> None:
    facts = Facts(Source(HEADER + f"def f(x: Tensor, y, n):\n    probe({text})"))
    (call,) = [n for n in facts.names.nodes(ast.Call) if isinstance(n.func, ast.Name) and n.func.id == "probe"]
    assert (facts.kinds.of(call.args[0]).shape == SCALAR) is number
