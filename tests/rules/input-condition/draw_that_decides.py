# runs: make_callable make_inputs
import random

import torch
from torch import nn


class Drop(nn.Module):
    def __init__(self, dim=4, p=0.5):
        super().__init__()
        self.lin = nn.Linear(dim, dim)
        self.p = p

    def forward(self, x):
        if self.training and random.random() < self.p:
            return x
        shift = random.gauss(0.0, 1.0)
        return self.lin(x) + shift


def make_callable():
    torch.manual_seed(20)
    random.seed(1)
    return Drop().train()


def make_inputs():
    g = torch.Generator().manual_seed(20)
    return [((torch.randn(3, 4, generator=g),), {}) for _ in range(6)]


# output
import random

import torch
from torch import nn


class Drop(nn.Module):
    def __init__(self, dim=4, p=0.5):
        super().__init__()
        self.lin = nn.Linear(dim, dim)
        self.p = p

    @torch._dynamo.decorators.skip
    def forward(self, x):
        drawn = self.training and random.random() < self.p
        shift_drawn = random.gauss(0.0, 1.0) if not drawn else None
        return self._forward(x, drawn=drawn, shift_drawn=shift_drawn)

    def _forward(self, x, *, drawn, shift_drawn):
        if drawn:
            return x
        shift = shift_drawn
        return self.lin(x) + shift


def make_callable():
    torch.manual_seed(20)
    random.seed(1)
    return Drop().train()


def make_inputs():
    g = torch.Generator().manual_seed(20)
    return [((torch.randn(3, 4, generator=g),), {}) for _ in range(6)]
