# runs: Warm make_inputs
import torch
from torch import nn


class Warm(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("step", torch.tensor(0))
        self.warm = 3

    def forward(self, x):
        if self.training:
            self.step += 1
        if self.step < self.warm:
            scale = self.step / self.warm
        else:
            scale = torch.tensor(1.0)
        return x * scale


def make_inputs():
    g = torch.Generator().manual_seed(1)
    return [((torch.randn(2, 4, generator=g),), {}) for _ in range(5)]


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


class Warm(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("step", torch.tensor(0))
        self.warm = 3

    def forward(self, x):
        if self.training:
            self.step += 1
        scale = _cond(self.step < self.warm, lambda: self.step / self.warm, lambda: torch.tensor(1.0))
        return x * scale


def make_inputs():
    g = torch.Generator().manual_seed(1)
    return [((torch.randn(2, 4, generator=g),), {}) for _ in range(5)]
