# runs: make_callable make_inputs
import random

import numpy as np
import torch
from torch import nn


class Mixup(nn.Module):
    def __init__(self, dim=4, alpha=0.4, p=0.7):
        super().__init__()
        self.lin = nn.Linear(dim, dim)
        self.alpha, self.p = alpha, p

    def forward(self, x, y):
        if self.training and random.random() < self.p:
            lam = np.random.beta(self.alpha, self.alpha)
            x = lam * x + (1 - lam) * x.flip(0)
            y = lam * y + (1 - lam) * y.flip(0)
        keep = random.random()
        return self.lin(x) * keep, y


def make_callable():
    torch.manual_seed(20)
    np.random.seed(0)
    random.seed(1)
    return Mixup().train()


def make_inputs():
    g = torch.Generator().manual_seed(20)
    return [((torch.randn(3, 4, generator=g), torch.rand(3, 2, generator=g)), {}) for _ in range(5)]


# output
import random

import numpy as np
import torch
from torch import nn


class Mixup(nn.Module):
    def __init__(self, dim=4, alpha=0.4, p=0.7):
        super().__init__()
        self.lin = nn.Linear(dim, dim)
        self.alpha, self.p = alpha, p

    @torch._dynamo.decorators.skip
    def forward(self, x, y):
        drawn = self.training and random.random() < self.p
        lam_drawn = np.random.beta(self.alpha, self.alpha) if drawn else None
        keep_drawn = random.random()
        return self._forward(x, y, drawn=drawn, lam_drawn=lam_drawn, keep_drawn=keep_drawn)

    def _forward(self, x, y, *, drawn, lam_drawn, keep_drawn):
        if drawn:
            lam = lam_drawn
            x = lam * x + (1 - lam) * x.flip(0)
            y = lam * y + (1 - lam) * y.flip(0)
        keep = keep_drawn
        return self.lin(x) * keep, y


def make_callable():
    torch.manual_seed(20)
    np.random.seed(0)
    random.seed(1)
    return Mixup().train()


def make_inputs():
    g = torch.Generator().manual_seed(20)
    return [((torch.randn(3, 4, generator=g), torch.rand(3, 2, generator=g)), {}) for _ in range(5)]
