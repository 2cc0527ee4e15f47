# flags: --unsafe-fixes
# runs: Grid make_inputs
import torch
from torch import nn


class Grid(nn.Module):
    def forward(self, x):
        x = x.tanh()
        for row in range(2):
            for column in range(2):
                x = x + row * column
                torch._dynamo.graph_break()
            x = x * 2
        return x.relu()


def make_inputs():
    return [((torch.linspace(-1, 1, 6),), {})]


# output
import torch
from torch import nn


class Grid(nn.Module):
    def forward(self, x):
        x = x.tanh()
        x = x + 0 * 0
        torch._dynamo.graph_break()
        x = x + 0 * 1
        torch._dynamo.graph_break()
        x = x * 2
        x = x + 1 * 0
        torch._dynamo.graph_break()
        x = x + 1 * 1
        torch._dynamo.graph_break()
        x = x * 2
        return x.relu()


def make_inputs():
    return [((torch.linspace(-1, 1, 6),), {})]
