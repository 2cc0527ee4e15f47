# runs: make_callable make_inputs
import torch
from torch import nn


class Parts(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor):
        h = self.lin(x)
        losses = [h.mean(), h.std(), (h > 0).sum()]
        parts = {"low": h.min(), "high": h.max()}
        total = sum(loss.item() for loss in losses)
        top = max((loss.item() for loss in losses), default=0)
        rounded = tuple(round(loss.item(), 2) for loss in losses)
        named = dict((k, v.item()) for k, v in parts.items())
        listed = list((i, v.item() * 2) for i, v in enumerate(losses))
        return h, total, top, rounded, named, listed


def make_callable():
    torch.manual_seed(0)
    return Parts()


def make_inputs():
    return [((torch.arange(8.0).reshape(2, 4),), {}), ((torch.ones(2, 4),), {})]


# output
import torch
from torch import nn


@torch.compiler.disable
def _items(xs):
    """`[x.item() for x in xs]`, in one break of the graph."""
    return [x.item() for x in xs]


class Parts(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor):
        h = self.lin(x)
        losses = [h.mean(), h.std(), (h > 0).sum()]
        parts = {"low": h.min(), "high": h.max()}
        total = sum(_items(losses))
        top = max(_items(losses), default=0)
        rounded = tuple(round(loss, 2) for loss in _items(losses))
        named = dict((k, v) for k, v in zip(parts.keys(), _items(parts.values())))
        listed = list((i, v * 2) for i, v in enumerate(_items(losses)))
        return h, total, top, rounded, named, listed


def make_callable():
    torch.manual_seed(0)
    return Parts()


def make_inputs():
    return [((torch.arange(8.0).reshape(2, 4),), {}), ((torch.ones(2, 4),), {})]
