# runs: make_callable make_inputs
import random

import torch
from torch import nn


class Stack(nn.Module):
    def __init__(self, depth=3, rate=0.5):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(depth))
        self.rate = rate

    def forward(self, x):
        for layer in self.layers:
            chance = random.uniform(0, 1)
            if self.training and chance < self.rate:
                continue
            x = torch.relu(layer(x)) + x
        return x


def make_callable():
    torch.manual_seed(0)
    return Stack()


def make_inputs():
    x = torch.linspace(-1, 1, 8).reshape(2, 4)
    return [((x,), {}) for _ in range(4)]

# output
import random

import torch
from torch import nn


class Stack(nn.Module):
    def __init__(self, depth=3, rate=0.5):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(depth))
        self.rate = rate

    # A break in a loop would have Dynamo skip this function: it runs in Python, and its parts are compiled.
    @torch._dynamo.decorators.skip
    def forward(self, x):
        for layer in self.layers:
            chance = random.uniform(0, 1)
            if self.training and chance < self.rate:
                continue
            x = self._layer_step(x, layer)
        return x

    def _layer_step(self, x, layer):
        return torch.relu(layer(x)) + x


def make_callable():
    torch.manual_seed(0)
    return Stack()


def make_inputs():
    x = torch.linspace(-1, 1, 8).reshape(2, 4)
    return [((x,), {}) for _ in range(4)]
