# runs: make_callable make_inputs
import torch
from torch import nn


class Pool(nn.Module):
    """Pools over the kept positions."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 4)

    def forward(self, x, mask):
        """Pool `x`."""
        h = self.inner(x)
        if mask.all():
            return h.mean(1)
        kept = h.masked_fill(~mask[..., None], 0.0)
        return kept.sum(1) / mask.sum(1, keepdim=True)


def make_callable():
    torch.manual_seed(0)
    return Pool().eval()


def make_inputs():
    g = torch.Generator().manual_seed(0)
    x = torch.randn(2, 3, 4, generator=g)
    full = torch.ones(2, 3, dtype=torch.bool)
    part = full.clone()
    part[1, 2] = False
    return [((x, full), {}), ((x, part), {})]


# output
import torch
from torch import nn


class Pool(nn.Module):
    """Pools over the kept positions."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 4)

    @torch._dynamo.decorators.skip
    def forward(self, x, mask):
        """Pool `x`."""
        return self._forward(x, mask, mask_all=bool(mask.all()))

    def _forward(self, x, mask, *, mask_all):
        h = self.inner(x)
        if mask_all:
            return h.mean(1)
        kept = h.masked_fill(~mask[..., None], 0.0)
        return kept.sum(1) / mask.sum(1, keepdim=True)


def make_callable():
    torch.manual_seed(0)
    return Pool().eval()


def make_inputs():
    g = torch.Generator().manual_seed(0)
    x = torch.randn(2, 3, 4, generator=g)
    full = torch.ones(2, 3, dtype=torch.bool)
    part = full.clone()
    part[1, 2] = False
    return [((x, full), {}), ((x, part), {})]
