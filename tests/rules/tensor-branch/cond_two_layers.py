# flags: --unsafe-fixes
import torch
from torch import nn


class Heads(nn.Module):
    def __init__(self, dim=4, classes=3):
        super().__init__()
        self.trunk = nn.Linear(dim, dim)
        self.easy = nn.Linear(dim, classes)
        self.hard = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(), nn.Linear(dim, classes))

    def forward(self, x):
        h = self.trunk(x)
        if h.std() < 1:
            out = self.easy(h)
        else:
            out = self.hard(h)
        return out.softmax(-1)


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


class Heads(nn.Module):
    def __init__(self, dim=4, classes=3):
        super().__init__()
        self.trunk = nn.Linear(dim, dim)
        self.easy = nn.Linear(dim, classes)
        self.hard = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(), nn.Linear(dim, classes))

    def forward(self, x):
        h = self.trunk(x)
        out = _cond(h.std() < 1, lambda h: self.easy(h), lambda h: self.hard(h), (h,))
        return out.softmax(-1)
