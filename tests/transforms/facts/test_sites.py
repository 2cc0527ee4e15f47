"""Sites that end a graph, whether a rule rewrites them or not."""

from __future__ import annotations

import ast

import pytest

from refactor.transforms import smith
from refactor.transforms.facts import Facts
from refactor.transforms.source import Source

HEAD = """\
import math
import random
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from tqdm import tqdm

class Net(nn.Module):
    def forward(self, x: torch.Tensor, t: torch.Tensor, u, n: int, r: float, opt=None):
"""


def sites(*lines: str) -> list[tuple[int, str]]:
    """Line (from 1 within the body) and reason of each site of a forward."""
    text = HEAD + "".join(f"        {line}\n" for line in lines)
    facts = Facts(Source(text))
    (function,) = facts.names.nodes(ast.FunctionDef)
    return [(s.at.lineno - 10, s.kind.reason) for s in facts.sites.of(function)]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("y = [e.item() for e in x]", "Python needs the number itself"),
        ("y = u.tolist()", "Python needs the numbers themselves"),
        ("y = sorted(u, key=lambda i: x[i].item())", "Python needs the number itself"),
        ("y = float(u.norm())", "Python needs the number itself"),
        ("y = bool(opt) or x - opt", "Python needs the number itself"),
        ("y = x[: t.sum()]", "Python needs the number itself"),
        ("y = math.exp(t.sum())", "the `math` module takes numbers alone"),
        ("y = u[u > 0]", "the size of its result depends on the values"),
        ("y = torch.unique(x)", "the size of its result depends on the values"),
        ("y = F.one_hot(t)", "the size of its result depends on the values"),
        ("while x.sum() < n: x = x + 1", "which way Python goes depends on the value of a tensor"),
        ("y = random.choice(u)", "Python's random numbers are drawn outside of any graph"),
        ("y = 1 if random.uniform(0, 1) < r else 2", "Python's random numbers are drawn outside of any graph"),
        ("for y in tqdm(u): x = x + y", "a progress bar writes to the terminal"),
        ("y = np.linspace(0, n, 3).tolist()", "Dynamo makes tensors of what numpy computes"),
        ("y = x.clone().requires_grad_()", "whether the tensor requires a gradient would change"),
        ("y = x if x.is_floating_point else t", "a function is always true"),
    ],
)
def test_is_a_site(line: str, reason: str) -> None:
    found = sites(line, "return x")
    assert [at for at, _ in found] == [1]
    assert found[0][1].startswith(reason)


@pytest.mark.parametrize(
    "line",
    [
        "y = float(r) + int(n)",
        "y = math.exp(r)",
        "y = bool(opt)",
        "y = F.one_hot(t, 4)",
        "y = random.randint(0, 3)",
        "y = int(np.ceil(n / 2))",
        "y = torch.where(x > 0, x, t)",
        "y = u[n:]",
        "y = u[u]",
        "y = x.requires_grad_(False)",
        "y = torch.zeros(2, requires_grad=False)",
        "if x.is_floating_point(): x = x + 1",
        "if opt is not None: x = x + 1",
        "if n > 0 and r < 1: x = x + 1",
        "if not torch.compiler.is_compiling(): print(x.sum().item())",
        "import os",
    ],
)
def test_is_no_site(line: str) -> None:
    assert sites(line, "return x") == []


def test_hooks_and_autograd_functions_are_traced_too() -> None:
    text = """\
import torch
from torch import nn

class Op(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * x.max().item()

class Net(nn.Module):
    def __init__(self, layer: nn.Linear):
        super().__init__()
        layer.register_forward_hook(self.watch(3))

    def watch(self, i):
        def hook(module, args, out):
            return out * out.max().item()
        return hook

    def other(self, i):
        def hook_not_registered(module, args, out):
            return out * out.max().item()
        return hook_not_registered
"""
    assert {f.line for f in smith.find(Source(text))} == {7, 16}


def test_what_another_rule_names_is_not_named_twice() -> None:
    text = """\
import torch

def f(x: torch.Tensor):
    y = x.relu()
    if y.sum() > 0:
        raise ValueError("positive")
    return y.nonzero()
"""
    assert [(f.line, f.code) for f in smith.find(Source(text))] == [(5, "TR103"), (7, "TR901")]
