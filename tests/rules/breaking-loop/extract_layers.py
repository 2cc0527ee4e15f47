# flags: --unsafe-fixes
# runs: Encoder make_inputs
import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, depth=12):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(depth)])

    def forward(self, x, mask=None):
        states = []
        x = x.tanh()
        for layer in self.layers:
            if mask is not None:
                x = x * mask
            x = layer(x).relu()
            torch._dynamo.graph_break()
            x = x + 1
            states.append(x)
        return torch.stack(states).mean(0)

    def extra_repr(self):
        return "encoder"


def make_inputs():
    x = torch.linspace(-1, 1, 8).view(2, 4)
    return [((x,), {}), ((x, torch.ones(4)), {})]


class Holder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.held = Encoder()

    def forward(self, *args):
        return self.held(*args)


# output
import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, depth=12):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(depth)])

    def forward(self, x, mask=None):
        states = []
        x = x.tanh()
        self._run_layers(mask, x, states)
        return torch.stack(states).mean(0)

    def _run_layers(self, mask, x, states):
        # Dynamo skips a function with a graph break in a loop, so the loop and its body are functions of their own.
        for layer in self.layers:
            x = self._layer_step(x, mask, layer)
            states.append(x)

    def _layer_step(self, x, mask, layer):
        if mask is not None:
            x = x * mask
        x = layer(x).relu()
        torch._dynamo.graph_break()
        x = x + 1
        return x

    def extra_repr(self):
        return "encoder"


def make_inputs():
    x = torch.linspace(-1, 1, 8).view(2, 4)
    return [((x,), {}), ((x, torch.ones(4)), {})]


class Holder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.held = Encoder()

    def forward(self, *args):
        return self.held(*args)
