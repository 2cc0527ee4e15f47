# runs: make_callable make_inputs
import torch
from torch import nn


class Norm(nn.Module):
    def __init__(self, dim=4, limit=2.0):
        super().__init__()
        self.lin = nn.Linear(dim, dim)
        self.limit = limit

    def forward(self, x):
        y = self.lin(x)
        norm = y.norm(dim=-1, keepdim=True)
        if norm.max().item() > self.limit:
            y = y * (self.limit / norm.clamp(min=self.limit))
        return y


def make_callable():
    torch.manual_seed(3)
    return Norm().eval()


def make_inputs():
    g = torch.Generator().manual_seed(3)
    x = torch.randn(2, 4, generator=g)
    return [((x * 0.1,), {}), ((x * 20,), {})]


# output
import functools

import torch
from torch import nn


def _cond(pred, true_fn, false_fn, operands=()):
    """`torch.cond` while compiling, a plain branch otherwise."""
    if torch.compiler.is_compiling():
        # torch.cond takes neither an arm that returns its input nor arms whose strides differ.
        fresh = functools.partial(torch.clone, memory_format=torch.contiguous_format)
        return torch.cond(
            pred,
            lambda *xs: torch.utils._pytree.tree_map(fresh, true_fn(*xs)),
            lambda *xs: torch.utils._pytree.tree_map(fresh, false_fn(*xs)),
            operands,
        )
    return true_fn(*operands) if pred else false_fn(*operands)


def _number(x):
    """`x.item()`, or while compiling a 0-d tensor in the graph that is as exact as a Python number."""
    if torch.compiler.is_compiling() and x.device.type != "mps":
        return x.detach().to(torch.float64 if x.is_floating_point() else torch.int64)
    return x.item()


class Norm(nn.Module):
    def __init__(self, dim=4, limit=2.0):
        super().__init__()
        self.lin = nn.Linear(dim, dim)
        self.limit = limit

    def forward(self, x):
        y = self.lin(x)
        norm = y.norm(dim=-1, keepdim=True)
        y = _cond(
            _number(norm.max()) > self.limit,
            lambda y, norm: y * (self.limit / norm.clamp(min=self.limit)),
            lambda y, norm: y,
            (y, norm),
        )
        return y


def make_callable():
    torch.manual_seed(3)
    return Norm().eval()


def make_inputs():
    g = torch.Generator().manual_seed(3)
    x = torch.randn(2, 4, generator=g)
    return [((x * 0.1,), {}), ((x * 20,), {})]
