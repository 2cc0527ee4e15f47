# flags: --unsafe-fixes
# runs: Mix make_inputs
import torch
from torch import nn


class Mix(nn.Module):
    def forward(self, x, first=None, second=None):
        x = x.tanh()
        for extra in (first, second):
            if extra is None:
                continue
            x = x + extra
            torch._dynamo.graph_break()
            x = x * 2
        return x.relu()


def make_inputs():
    x = torch.linspace(-1, 1, 6)
    return [((x, x + 1, x + 2), {}), ((x, None, x), {}), ((x,), {})]


# output
import torch
from torch import nn


class Mix(nn.Module):
    def forward(self, x, first=None, second=None):
        x = x.tanh()
        if first is not None:
            x = x + first
            torch._dynamo.graph_break()
            x = x * 2
        if second is not None:
            x = x + second
            torch._dynamo.graph_break()
            x = x * 2
        return x.relu()


def make_inputs():
    x = torch.linspace(-1, 1, 6)
    return [((x, x + 1, x + 2), {}), ((x, None, x), {}), ((x,), {})]
