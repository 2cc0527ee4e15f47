# flags: --unsafe-fixes
# runs: make_callable make_inputs
import torch
from torch import nn


class Switch(nn.Module):
    def __init__(self, count=3, width=4):
        super().__init__()
        self.router = nn.Linear(width, count)
        self.experts = nn.ModuleList(nn.Linear(width, width) for _ in range(count))

    def forward(self, x):
        weight, route = self.router(x).softmax(-1).max(-1)
        out = x.clone()
        for i, expert in enumerate(self.experts):
            rows = torch.where(route == i)[0]
            if len(rows) == 0:
                continue
            out[rows] = expert(x[rows]) * weight[rows].unsqueeze(-1)
        return out


def make_callable():
    torch.manual_seed(0)
    return Switch()


def make_inputs():
    torch.manual_seed(1)
    return [((torch.randn(5, 4),), {}), ((torch.randn(1, 4),), {})]

# output
import torch
from torch import nn


def _rows(mask, whole=True):
    """`torch.where(mask)[0]`, or while compiling all rows, whether selected or not, where each has one element."""
    if torch.compiler.is_compiling() and whole and mask.dim() > 0 and mask.numel() == len(mask):
        return torch.arange(len(mask), device=mask.device)
    return torch.where(mask)[0]


def _chosen(mask, value, target=None, rows=None):
    """`value`, with a row for each place; while compiling with zeros, or what `target` has there, in other places."""
    if not torch.compiler.is_compiling() or mask is None or len(value) != mask.numel():
        return value
    wide = mask.reshape(-1, *[1] * (value.dim() - 1)) != 0
    return torch.where(wide, value, 0 if target is None else target[rows])


class Switch(nn.Module):
    def __init__(self, count=3, width=4):
        super().__init__()
        self.router = nn.Linear(width, count)
        self.experts = nn.ModuleList(nn.Linear(width, width) for _ in range(count))

    def forward(self, x):
        weight, route = self.router(x).softmax(-1).max(-1)
        out = x.clone()
        for i, expert in enumerate(self.experts):
            rows = _rows(route == i)
            if len(rows) == 0:
                continue
            out[rows] = _chosen(route == i, expert(x[rows]) * weight[rows].unsqueeze(-1), out, rows)
        return out


def make_callable():
    torch.manual_seed(0)
    return Switch()


def make_inputs():
    torch.manual_seed(1)
    return [((torch.randn(5, 4),), {}), ((torch.randn(1, 4),), {})]
