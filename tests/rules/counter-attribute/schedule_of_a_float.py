# runs: make_callable make_inputs
import math

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.total = 10
        self.step = 0
        self.temperature = 1.0

    def forward(self, x):
        frac = self.step / self.total
        self.temperature = 0.5 * (1 + math.cos(math.pi * frac))
        out = torch.softmax(self.lin(x) / max(self.temperature, 0.1), dim=-1)
        self.step += 1
        return out


def make_callable():
    torch.manual_seed(0)
    return Net().eval()


def make_inputs():
    g = torch.Generator().manual_seed(0)
    return [((torch.randn(2, 3, generator=g),), {}) for _ in range(6)]


# output
import math

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.total = 10
        self.step = 0
        self.temperature = 1.0

    @torch._dynamo.decorators.skip
    def forward(self, x):
        frac = self.step / self.total
        self.temperature = 0.5 * (1 + math.cos(math.pi * frac))
        out = self._forward(x, temperature_max=max(self.temperature, 0.1))
        self.step += 1
        return out

    def _forward(self, x, *, temperature_max):
        out = torch.softmax(self.lin(x) / temperature_max, dim=-1)
        return out


def make_callable():
    torch.manual_seed(0)
    return Net().eval()


def make_inputs():
    g = torch.Generator().manual_seed(0)
    return [((torch.randn(2, 3, generator=g),), {}) for _ in range(6)]
