import torch
from torch import nn


class Echo(nn.Module):
    def __init__(self, dim=3):
        super().__init__()
        self.lin = nn.Linear(dim, dim)
        self.prev = None

    def forward(self, x):
        h = self.lin(x)
        if self.prev is not None and self.prev.shape == h.shape:
            h = h + 0.5 * self.prev
        self.prev = h.detach()
        return h


def make_callable():
    torch.manual_seed(8)
    return Echo()


def make_inputs():
    g = torch.Generator().manual_seed(9)
    return [((torch.randn(n, 3, generator=g),), {}) for n in (2, 2, 4, 4)]


# wrong: history holds the graph
class Echo(nn.Module):
    def __init__(self, dim=3):
        super().__init__()
        self.lin = nn.Linear(dim, dim)
        self.prev = None

    def forward(self, x):
        h = self.lin(x)
        if self.prev is not None and self.prev.shape == h.shape:
            h = h + 0.5 * self.prev
        self.prev = h
        return h


# wrong: stored before it is mixed
class Echo(nn.Module):
    def __init__(self, dim=3):
        super().__init__()
        self.lin = nn.Linear(dim, dim)
        self.prev = None

    def forward(self, x):
        h = self.lin(x)
        prev, self.prev = self.prev, h.detach()
        if prev is not None and prev.shape == h.shape:
            h = h + 0.5 * prev
        return h


# wrong: another size is not checked
class Echo(nn.Module):
    def __init__(self, dim=3):
        super().__init__()
        self.lin = nn.Linear(dim, dim)
        self.prev = None

    def forward(self, x):
        h = self.lin(x)
        if self.prev is not None:
            h = h + 0.5 * self.prev
        self.prev = h.detach()
        return h


# wrong: the second call only
class Echo(nn.Module):
    def __init__(self, dim=3):
        super().__init__()
        self.lin = nn.Linear(dim, dim)
        self.prev = None

    def forward(self, x):
        h = self.lin(x)
        if self.prev is not None and self.prev.shape == h.shape:
            h = h + 0.25 * self.prev
        self.prev = h.detach()
        return h


# wrong: history is a copy
class Echo(nn.Module):
    def __init__(self, dim=3):
        super().__init__()
        self.lin = nn.Linear(dim, dim)
        self.prev = None

    def forward(self, x):
        h = self.lin(x)
        if self.prev is not None and self.prev.shape == h.shape:
            h = h + 0.5 * self.prev
        self.prev = h.detach().clone()
        return h


# right: nested tests
class Echo(nn.Module):
    def __init__(self, dim=3):
        super().__init__()
        self.lin = nn.Linear(dim, dim)
        self.prev = None

    def forward(self, x):
        h = self.lin(x)
        prev = self.prev
        if prev is not None:
            if prev.shape == h.shape:
                h = h + 0.5 * prev
        self.prev = h.detach()
        return h


# right: a method decides
class Echo(nn.Module):
    def __init__(self, dim=3):
        super().__init__()
        self.lin = nn.Linear(dim, dim)
        self.prev = None

    def _fits(self, h):
        return self.prev is not None and self.prev.shape == h.shape

    def forward(self, x):
        h = self.lin(x)
        if self._fits(h):
            h = h + self.prev * 0.5
        self.prev = h.detach()
        return h


# right: shape of the result compared by parts
class Echo(nn.Module):
    def __init__(self, dim=3):
        super().__init__()
        self.lin = nn.Linear(dim, dim)
        self.prev = None

    def forward(self, x):
        mixed = self.lin(x)
        if not (self.prev is None or self.prev.shape != mixed.shape):
            mixed = mixed + 0.5 * self.prev
        self.prev = mixed.detach()
        return mixed
