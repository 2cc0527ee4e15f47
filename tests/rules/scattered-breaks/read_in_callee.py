# runs: make_callable make_inputs
import torch
from torch import nn


class Cached(nn.Module):
    def __init__(self, threshold=0.5):
        super().__init__()
        self.first = nn.Linear(4, 4)
        self.rest = nn.ModuleList(nn.Linear(4, 4) for _ in range(2))
        self.threshold = threshold
        self.seen = torch.zeros(4)
        self.tail = torch.zeros(4)

    def near(self, head):
        change = (head - self.seen).abs().mean() / self.seen.abs().mean()
        return change.item() < self.threshold

    def forward(self, x):
        head = x + torch.tanh(self.first(x))
        if self.near(head):
            return head + self.tail
        h = head
        for layer in self.rest:
            h = h + torch.tanh(layer(h))
        self.seen = head.detach()
        self.tail = (h - head).detach()
        return h


def make_callable():
    torch.manual_seed(0)
    return Cached().eval()


def make_inputs():
    g = torch.Generator().manual_seed(0)
    x = torch.randn(2, 4, generator=g)
    return [((x,), {}), ((x + 0.01,), {}), ((x * -2,), {}), ((x * -2.01,), {})]

# output
import torch
from torch import nn


class Cached(nn.Module):
    def __init__(self, threshold=0.5):
        super().__init__()
        self.first = nn.Linear(4, 4)
        self.rest = nn.ModuleList(nn.Linear(4, 4) for _ in range(2))
        self.threshold = threshold
        self.seen = torch.zeros(4)
        self.tail = torch.zeros(4)

    # Dynamo can not hold what this function does on the host: it runs in Python, and its parts are compiled.
    @torch._dynamo.decorators.skip
    def near(self, head):
        change = self._near_start(head)
        return change.item() < self.threshold

    def _near_start(self, head):
        return (head - self.seen).abs().mean() / self.seen.abs().mean()

    # Dynamo can not hold what this function does on the host: it runs in Python, and its parts are compiled.
    @torch._dynamo.decorators.skip
    def forward(self, x):
        head = self._loop_start(x)
        if self.near(head):
            return head + self.tail
        h = head
        h = self._loop_end(h, head)
        return h

    def _loop_start(self, x):
        return x + torch.tanh(self.first(x))

    def _loop_end(self, h, head):
        for layer in self.rest:
            h = h + torch.tanh(layer(h))
        self.seen = head.detach()
        self.tail = (h - head).detach()
        return h


def make_callable():
    torch.manual_seed(0)
    return Cached().eval()


def make_inputs():
    g = torch.Generator().manual_seed(0)
    x = torch.randn(2, 4, generator=g)
    return [((x,), {}), ((x + 0.01,), {}), ((x * -2,), {}), ((x * -2.01,), {})]
