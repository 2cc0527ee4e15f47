# runs: make_callable make_inputs
import torch
from torch import nn


class Stepped(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.calls = 0

    def forward(self, x, *more):
        h = torch.relu(self.lin(x)) + 1
        total = h.sum().item()  # for the report
        t = torch.tanh(h) * total
        try:
            largest = t.max().item()
            if largest > 90:
                return torch.tanh(h) * largest, [total, largest]
        finally:
            self.calls += 1
        return torch.relu(self.lin(t)) * largest, [total, largest]


def make_callable():
    torch.manual_seed(0)
    return Stepped().eval()


def make_inputs():
    g = torch.Generator().manual_seed(0)
    x = torch.randn(3, 4, generator=g)
    return [((x,), {}), ((x * 2,), {}), ((x * 30,), {})]

# output
import torch
from torch import nn


class Stepped(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.calls = 0

    # Dynamo can not hold what this function does on the host: it runs in Python, and its parts are compiled.
    @torch._dynamo.decorators.skip
    def forward(self, x, *more):
        h = self._loop_start(x)
        total = h.sum().item()  # for the report
        t = self._loop_end(h, total)
        try:
            largest = t.max().item()
            if largest > 90:
                return torch.tanh(h) * largest, [total, largest]
        finally:
            self.calls += 1
        return self._loop_end_2(t, largest, total)

    def _loop_start(self, x):
        return torch.relu(self.lin(x)) + 1

    def _loop_end(self, h, total):
        return torch.tanh(h) * total

    def _loop_end_2(self, t, largest, total):
        return torch.relu(self.lin(t)) * largest, [total, largest]


def make_callable():
    torch.manual_seed(0)
    return Stepped().eval()


def make_inputs():
    g = torch.Generator().manual_seed(0)
    x = torch.randn(3, 4, generator=g)
    return [((x,), {}), ((x * 2,), {}), ((x * 30,), {})]
