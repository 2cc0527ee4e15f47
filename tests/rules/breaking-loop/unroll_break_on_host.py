# flags: --unsafe-fixes
# runs: Refine make_inputs
import torch
from torch import nn


class Refine(nn.Module):
    def forward(self, x, stop: int = 5):
        x = x.tanh()
        for step in range(2):
            if step + 1 > stop and x.shape[0] > 1:
                x = x - 1
                break
            x = x * 2
            torch._dynamo.graph_break()
            x = x + 1
        else:
            x = x + 10
        return x.relu() * step


def make_inputs():
    x = torch.linspace(-1, 1, 6)
    return [((x, 5), {}), ((x, 1), {}), ((x, 0), {})]


# output
import torch
from torch import nn


class Refine(nn.Module):
    def forward(self, x, stop: int = 5):
        x = x.tanh()
        if 0 + 1 > stop and x.shape[0] > 1:
            x = x - 1
            step = 0
        else:
            x = x * 2
            torch._dynamo.graph_break()
            x = x + 1
            if 1 + 1 > stop and x.shape[0] > 1:
                x = x - 1
                step = 1
            else:
                x = x * 2
                torch._dynamo.graph_break()
                x = x + 1
                step = 1
                x = x + 10
        return x.relu() * step


def make_inputs():
    x = torch.linspace(-1, 1, 6)
    return [((x, 5), {}), ((x, 1), {}), ((x, 0), {})]
