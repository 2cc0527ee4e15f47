# runs: make_cache make_inputs
import torch
from torch import nn


class Cache(nn.Module):
    def __init__(self, layers=2, size=6):
        super().__init__()
        self.register_buffer("keys", torch.zeros(layers, 3, size, 4))
        self.register_buffer("filled", torch.zeros(1, dtype=torch.long))
        self.last = 2

    @torch.no_grad()
    def forward(self, x, layer: int = 0):
        start = self.filled[0]
        end = start + x.shape[1]
        # Past the end nothing is kept.
        self.keys[layer, :, start:end] = x * 2
        self.filled += x.shape[1]
        return self.keys.sum(2) + x.mean()


def make_cache():
    return Cache()


def make_inputs():
    x = torch.linspace(-1, 1, 24).view(3, 2, 4)
    return [((x,), {}), ((x, 1), {}), ((x + 1,), {}), ((x[:, :1],), {})]


# output
import functools

import torch
from torch import nn


def _in_place(fn):
    """Run `fn`, which changes `target` alone, as an op of the graph while compiling, directly otherwise."""

    @functools.wraps(fn)
    def step(*args):
        grows = torch.is_grad_enabled() and any(getattr(a, "requires_grad", False) for a in args)
        return op(*args) if torch.compiler.is_compiling() and not grows else fn(*args)

    name = f"{__name__}::{fn.__name__}".replace(".", "_")
    op = torch.library.custom_op(name, fn, mutates_args=("target",))
    return step


@_in_place
def _put_into_keys(
    value: torch.Tensor, target: torch.Tensor, start: torch.Tensor, end: torch.Tensor, layer: int
) -> None:
    target[layer, :, start:end] = value


class Cache(nn.Module):
    def __init__(self, layers=2, size=6):
        super().__init__()
        self.register_buffer("keys", torch.zeros(layers, 3, size, 4))
        self.register_buffer("filled", torch.zeros(1, dtype=torch.long))
        self.last = 2

    @torch.no_grad()
    def forward(self, x, layer: int = 0):
        start = self.filled[0]
        end = start + x.shape[1]
        # Past the end nothing is kept.
        _put_into_keys(x * 2, self.keys, start, end, layer)
        self.filled += x.shape[1]
        return self.keys.sum(2) + x.mean()


def make_cache():
    return Cache()


def make_inputs():
    x = torch.linspace(-1, 1, 24).view(3, 2, 4)
    return [((x,), {}), ((x, 1), {}), ((x + 1,), {}), ((x[:, :1],), {})]
