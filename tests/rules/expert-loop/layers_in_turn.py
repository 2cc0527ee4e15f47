# flags: --unsafe-fixes
# runs: make_callable make_inputs
import torch
from torch import nn


class Mixture(nn.Module):
    def __init__(self, count=3, width=4):
        super().__init__()
        self.router = nn.Linear(width, count)
        self.experts = nn.ModuleList(nn.Linear(width, width) for _ in range(count))

    def forward(self, x):
        weight, chosen = self.router(x).softmax(-1).topk(2, dim=-1)
        mask = torch.nn.functional.one_hot(chosen, num_classes=len(self.experts)).permute(2, 0, 1)
        out = torch.zeros_like(x)
        for index in range(len(self.experts)):
            expert = self.experts[index]
            row, slot = torch.where(mask[index])
            if row.numel() > 0:
                given = weight[row, slot]
                out.index_add_(0, row, expert(x[row]) * given.unsqueeze(-1))
        return out


def make_callable():
    torch.manual_seed(0)
    return Mixture()


def make_inputs():
    torch.manual_seed(1)
    return [((torch.randn(5, 4),), {}), ((torch.randn(1, 4),), {})]

# output
import torch
from torch import nn


def _places(mask):
    """`torch.where(mask)`, or while compiling the places of all elements, whether selected or not."""
    if not torch.compiler.is_compiling():
        return torch.where(mask)
    axes = [torch.arange(n, device=mask.device) for n in mask.shape]
    return tuple(grid.flatten() for grid in torch.meshgrid(*axes, indexing="ij"))


def _chosen(mask, value, target=None, rows=None):
    """`value`, with a row for each place; while compiling with zeros, or what `target` has there, in other places."""
    if not torch.compiler.is_compiling() or mask is None or len(value) != mask.numel():
        return value
    wide = mask.reshape(-1, *[1] * (value.dim() - 1)) != 0
    return torch.where(wide, value, 0 if target is None else target[rows])


class Mixture(nn.Module):
    def __init__(self, count=3, width=4):
        super().__init__()
        self.router = nn.Linear(width, count)
        self.experts = nn.ModuleList(nn.Linear(width, width) for _ in range(count))

    def forward(self, x):
        weight, chosen = self.router(x).softmax(-1).topk(2, dim=-1)
        mask = torch.nn.functional.one_hot(chosen, num_classes=len(self.experts)).permute(2, 0, 1)
        out = torch.zeros_like(x)
        for index in range(len(self.experts)):
            expert = self.experts[index]
            row, slot = _places(mask[index])
            if row.numel() > 0:
                given = weight[row, slot]
                out.index_add_(0, row, _chosen(mask[index], expert(x[row]) * given.unsqueeze(-1)))
        return out


def make_callable():
    torch.manual_seed(0)
    return Mixture()


def make_inputs():
    torch.manual_seed(1)
    return [((torch.randn(5, 4),), {}), ((torch.randn(1, 4),), {})]
