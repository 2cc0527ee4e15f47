# runs: make_callable make_inputs
import numpy as np
import torch
from torch import nn


class SpecAugment(nn.Module):
    def __init__(self, dim=6, width=2):
        super().__init__()
        self.lin = nn.Linear(dim, dim)
        self.width = width

    def forward(self, x):
        if self.training:
            start = np.random.randint(0, x.shape[-1] - self.width)
            mask = torch.ones_like(x)
            mask[..., start : start + self.width] = 0
            x = x * mask
        return self.lin(x)


def make_callable():
    torch.manual_seed(20)
    np.random.seed(0)
    return SpecAugment().train()


def make_inputs():
    g = torch.Generator().manual_seed(20)
    return [((torch.randn(3, 6, generator=g),), {}) for _ in range(3)]


# output
import numpy as np
import torch
from torch import nn


class SpecAugment(nn.Module):
    def __init__(self, dim=6, width=2):
        super().__init__()
        self.lin = nn.Linear(dim, dim)
        self.width = width

    @torch._dynamo.decorators.skip
    def forward(self, x):
        return self._forward(x, start_drawn=np.random.randint(0, x.shape[-1] - self.width) if self.training else None)

    def _forward(self, x, *, start_drawn):
        if self.training:
            start = start_drawn
            mask = torch.ones_like(x)
            mask[..., start : start + self.width] = 0
            x = x * mask
        return self.lin(x)


def make_callable():
    torch.manual_seed(20)
    np.random.seed(0)
    return SpecAugment().train()


def make_inputs():
    g = torch.Generator().manual_seed(20)
    return [((torch.randn(3, 6, generator=g),), {}) for _ in range(3)]
