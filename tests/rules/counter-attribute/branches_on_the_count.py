# runs: make_callable make_inputs
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.calls = 0

    def forward(self, x, *, scale=None):
        h = self.lin(x)
        if self.calls % 2 == 0:
            h = torch.relu(h)
        self.calls += 1
        return h, scale


def make_callable():
    torch.manual_seed(0)
    return Net().eval()


def make_inputs():
    g = torch.Generator().manual_seed(0)
    return [((torch.randn(2, 3, generator=g),), {}) for _ in range(6)]


# output
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.calls = 0

    @torch._dynamo.decorators.skip
    def forward(self, x, *, scale=None):
        result = self._forward(x, scale=scale, calls_mod_2_is_0=self.calls % 2 == 0)
        self.calls += 1
        return result

    def _forward(self, x, *, scale, calls_mod_2_is_0):
        h = self.lin(x)
        if calls_mod_2_is_0:
            h = torch.relu(h)
        return h, scale


def make_callable():
    torch.manual_seed(0)
    return Net().eval()


def make_inputs():
    g = torch.Generator().manual_seed(0)
    return [((torch.randn(2, 3, generator=g),), {}) for _ in range(6)]
