# flags: --unsafe-fixes
# runs: make_callable make_inputs
import torch
import torch.nn.functional as F
from torch import nn


class Experts(nn.Module):
    def __init__(self, count=3, width=4):
        super().__init__()
        self.count = count
        self.weight = nn.Parameter(torch.randn(count, width, width))

    def gate(self, rows):
        left, right = rows.chunk(2, dim=-1)
        return torch.cat([left * torch.sigmoid(right), right], -1)

    def forward(self, x, chosen, scale):
        out = torch.zeros_like(x)
        with torch.no_grad():
            mask = F.one_hot(chosen, num_classes=self.count).permute(2, 1, 0)
            hit = torch.greater(mask.sum(dim=(-1, -2)), 0).nonzero()
        for expert in hit:
            expert = expert[0]
            if expert == self.count:
                continue
            slot, row = torch.where(mask[expert])
            hidden = x[row] @ self.weight[expert]  # the rows of this expert
            weighted = self.gate(hidden).to(x.dtype) * scale[row, slot, None]
            out.index_add_(0, row, weighted)
        return out


def make_callable():
    torch.manual_seed(0)
    return Experts()


def make_inputs():
    torch.manual_seed(1)
    return [((torch.randn(5, 4), torch.tensor([[0, 2], [2, 0], [0, 2], [2, 0], [0, 2]]), torch.rand(5, 2)), {})]

# output
import torch
import torch.nn.functional as F
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


class Experts(nn.Module):
    def __init__(self, count=3, width=4):
        super().__init__()
        self.count = count
        self.weight = nn.Parameter(torch.randn(count, width, width))

    def gate(self, rows):
        left, right = rows.chunk(2, dim=-1)
        return torch.cat([left * torch.sigmoid(right), right], -1)

    def forward(self, x, chosen, scale):
        out = torch.zeros_like(x)
        with torch.no_grad():
            mask = F.one_hot(chosen, num_classes=self.count).permute(2, 1, 0)
            hit = [(i,) for i in range(len(torch.greater(mask.sum(dim=(-1, -2)), 0)))] if torch.compiler.is_compiling() else torch.greater(mask.sum(dim=(-1, -2)), 0).nonzero()
        for expert in hit:
            expert = expert[0]
            if expert == self.count:
                continue
            slot, row = _places(mask[expert])
            hidden = x[row] @ self.weight[expert]  # the rows of this expert
            weighted = self.gate(hidden).to(x.dtype) * scale[row, slot, None]
            out.index_add_(0, row, _chosen(mask[expert], weighted))
        return out


def make_callable():
    torch.manual_seed(0)
    return Experts()


def make_inputs():
    torch.manual_seed(1)
    return [((torch.randn(5, 4), torch.tensor([[0, 2], [2, 0], [0, 2], [2, 0], [0, 2]]), torch.rand(5, 2)), {})]
