# runs: make_callable make_inputs
import torch
from torch import nn


class Metrics(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.history = {}

    def forward(self, x: torch.Tensor):
        h = self.lin(x).tanh()
        loss = (h**2).mean()
        # What the trainer shows.
        self.history = {"loss": loss.item(), "largest": h.abs().max().item(), "again": loss.item() * 2}
        return loss


def make_callable():
    torch.manual_seed(0)
    return Metrics()


def make_inputs():
    return [((torch.arange(8.0).reshape(2, 4),), {})]


# output
import torch
from torch import nn


@torch.compiler.disable
def _items(xs):
    """`[x.item() for x in xs]`, in one break of the graph."""
    return [x.item() for x in xs]


class Metrics(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.history = {}

    def forward(self, x: torch.Tensor):
        h = self.lin(x).tanh()
        loss = (h**2).mean()
        # What the trainer shows.
        loss_item, h_max_item = _items([loss, h.abs().max()])
        self.history = {"loss": loss_item, "largest": h_max_item, "again": loss_item * 2}
        return loss


def make_callable():
    torch.manual_seed(0)
    return Metrics()


def make_inputs():
    return [((torch.arange(8.0).reshape(2, 4),), {})]
