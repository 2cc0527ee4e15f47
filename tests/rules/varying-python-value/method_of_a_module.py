# flags: --unsafe-fixes
# runs: make_callable make_inputs
import math

import torch
from torch import nn


class Warm(nn.Module):
    def __init__(self, tau=4.0):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.tau = tau

    def forward(self, x, step: int, total: int = 10):
        frac = step / total
        weight = 1 - math.exp(-frac * self.tau)
        return self.lin(x) * weight


def make_callable():
    torch.manual_seed(0)
    return Warm()


def make_inputs():
    g = torch.Generator().manual_seed(0)
    return [((torch.randn(2, 3, generator=g), i), {}) for i in range(1, 7)]


# output
import math

import torch
from torch import nn


class Warm(nn.Module):
    def __init__(self, tau=4.0):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.tau = tau

    @torch._dynamo.decorators.skip
    def forward(self, x, step: int, total: int = 10):
        frac = step / total
        weight = 1 - math.exp(-frac * self.tau)
        return self._forward(x, step, total, weight=weight)

    def _forward(self, x, step: int, total: int, *, weight):
        return self.lin(x) * weight


def make_callable():
    torch.manual_seed(0)
    return Warm()


def make_inputs():
    g = torch.Generator().manual_seed(0)
    return [((torch.randn(2, 3, generator=g), i), {}) for i in range(1, 7)]
