# runs: make_callable make_inputs
import torch
from torch import nn


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)

    def forward(self, x):
        h = torch.relu(self.lin(x))
        try:
            top = h.max().item()
        except RuntimeError:
            top = 0.0  # there is none
        if top > 1:
            h = h / top
        return torch.tanh(self.lin(h)) * 2


def make_callable():
    torch.manual_seed(0)
    return Scaled().eval()


def make_inputs():
    g = torch.Generator().manual_seed(0)
    x = torch.randn(2, 3, generator=g)
    return [((x,), {}), ((x * 9,), {}), ((x[:0],), {}), ((x * 20,), {})]

# output
import torch
from torch import nn


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)

    # Dynamo can not hold what this function does on the host: it runs in Python, and its parts are compiled.
    @torch._dynamo.decorators.skip
    def forward(self, x):
        h = self._loop_start(x)
        try:
            top = h.max().item()
        except RuntimeError:
            top = 0.0  # there is none
        return self._loop_end(top, h)

    def _loop_start(self, x):
        return torch.relu(self.lin(x))

    def _loop_end(self, top, h):
        if top > 1:
            h = h / top
        return torch.tanh(self.lin(h)) * 2


def make_callable():
    torch.manual_seed(0)
    return Scaled().eval()


def make_inputs():
    g = torch.Generator().manual_seed(0)
    x = torch.randn(2, 3, generator=g)
    return [((x,), {}), ((x * 9,), {}), ((x[:0],), {}), ((x * 20,), {})]
