# runs: make_callable make_inputs
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.calls = 0

    def forward(self, x):
        h = x * self.calls
        self.calls += 1
        return h + self.calls


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
    def forward(self, x):
        calls = self.calls
        self.calls += 1
        return self._forward(x, calls=calls, calls_2=self.calls)

    def _forward(self, x, *, calls, calls_2):
        h = x * calls
        return h + calls_2


def make_callable():
    torch.manual_seed(0)
    return Net().eval()


def make_inputs():
    g = torch.Generator().manual_seed(0)
    return [((torch.randn(2, 3, generator=g),), {}) for _ in range(6)]
