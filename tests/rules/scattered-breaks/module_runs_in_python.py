# runs: make_callable make_inputs
import torch
from torch import nn


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.out = nn.Linear(4, 2)
        self.seen = {}

    def forward(self, x):
        h = torch.relu(self.lin(x))
        # What was largest, by place.
        self.seen = {i: row.max().item() for i, row in enumerate(h)}
        self.sums = [row.sum().item() for row in h]
        return torch.tanh(self.out(h)) * 2


def make_callable():
    torch.manual_seed(0)
    return Counter().eval()


def make_inputs():
    g = torch.Generator().manual_seed(0)
    return [((torch.randn(3, 4, generator=g),), {}) for _ in range(3)]

# output
import torch
from torch import nn


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.out = nn.Linear(4, 2)
        self.seen = {}

    # Dynamo can not hold what this function does on the host: it runs in Python, and its parts are compiled.
    @torch._dynamo.decorators.skip
    def forward(self, x):
        h = self._loop_start(x)
        # What was largest, by place.
        self._forward_on_host(h)
        return self._loop_end(h)

    @torch.compiler.disable
    def _forward_on_host(self, h):
        self.seen = {i: row.max().item() for i, row in enumerate(h)}
        self.sums = [row.sum().item() for row in h]

    def _loop_start(self, x):
        return torch.relu(self.lin(x))

    def _loop_end(self, h):
        return torch.tanh(self.out(h)) * 2


def make_callable():
    torch.manual_seed(0)
    return Counter().eval()


def make_inputs():
    g = torch.Generator().manual_seed(0)
    return [((torch.randn(3, 4, generator=g),), {}) for _ in range(3)]
