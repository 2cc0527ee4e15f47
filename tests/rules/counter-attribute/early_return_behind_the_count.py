# runs: make_callable make_inputs
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.calls, self.period = 0, 3

    def forward(self, x):
        self.calls = (self.calls + 1) % self.period
        if self.calls:
            return x * 2
        return self.lin(x)


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
        self.calls, self.period = 0, 3

    @torch._dynamo.decorators.skip
    def forward(self, x):
        self.calls = (self.calls + 1) % self.period
        return self._forward(x, calls=bool(self.calls))

    def _forward(self, x, *, calls):
        if calls:
            return x * 2
        return self.lin(x)


def make_callable():
    torch.manual_seed(0)
    return Net().eval()


def make_inputs():
    g = torch.Generator().manual_seed(0)
    return [((torch.randn(2, 3, generator=g),), {}) for _ in range(6)]
