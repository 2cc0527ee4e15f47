# flags: --unsafe-fixes
# runs: Stack make_inputs
import torch
from torch import nn


class Stack(nn.Module):
    def __init__(self, width=4):
        super().__init__()
        self.inner = nn.Linear(width, width)
        self.layers = nn.ModuleList([nn.Linear(width, width) for _ in range(3)])
        self.norms = {}

    def forward(self, x):
        x = self.inner(x)
        for name, layer in zip(("low", "mid", "high"), self.layers):
            x = layer(x).relu()
            self.norms[name] = x.norm().item()
        return x.sum(-1)


def make_inputs():
    return [((torch.linspace(-1, 1, 8).view(2, 4),), {}), ((torch.linspace(-2, 2, 12).view(3, 4),), {})]


class Holder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.held = Stack()

    def forward(self, *args):
        return self.held(*args)


# output
import torch
from torch import nn


class Stack(nn.Module):
    def __init__(self, width=4):
        super().__init__()
        self.inner = nn.Linear(width, width)
        self.layers = nn.ModuleList([nn.Linear(width, width) for _ in range(3)])
        self.norms = {}

    def forward(self, x):
        x = self.inner(x)
        x = self.layers[0](x).relu()
        self.norms["low"] = x.norm().item()
        x = self.layers[1](x).relu()
        self.norms["mid"] = x.norm().item()
        x = self.layers[2](x).relu()
        self.norms["high"] = x.norm().item()
        return x.sum(-1)


def make_inputs():
    return [((torch.linspace(-1, 1, 8).view(2, 4),), {}), ((torch.linspace(-2, 2, 12).view(3, 4),), {})]


class Holder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.held = Stack()

    def forward(self, *args):
        return self.held(*args)
