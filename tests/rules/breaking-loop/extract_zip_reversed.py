# flags: --unsafe-fixes
# runs: Up make_inputs
import torch
from torch import nn


class Up(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])

    def forward(self, x):
        x = x.tanh()
        for layer, scale in zip(reversed(self.down), (1.0, 0.5)):
            x = layer(x) * scale
            torch._dynamo.graph_break()
        return x.relu()


def make_inputs():
    return [((torch.linspace(-1, 1, 8).view(2, 4),), {})]


class Holder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.held = Up()

    def forward(self, *args):
        return self.held(*args)


# output
import torch
from torch import nn


class Up(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])

    def forward(self, x):
        x = x.tanh()
        x = self._run_layers(x)
        return x.relu()

    def _run_layers(self, x):
        # Dynamo skips a function with a graph break in a loop, so the loop and its body are functions of their own.
        for layer, scale in zip(reversed(self.down), (1.0, 0.5)):
            x = self._layer_step(x, layer, scale)
        return x

    def _layer_step(self, x, layer, scale):
        x = layer(x) * scale
        torch._dynamo.graph_break()
        return x


def make_inputs():
    return [((torch.linspace(-1, 1, 8).view(2, 4),), {})]


class Holder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.held = Up()

    def forward(self, *args):
        return self.held(*args)
