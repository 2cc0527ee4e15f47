# runs: Once make_inputs
import torch
from torch import nn


class Once(nn.Module):
    def forward(self, x):
        x = x.tanh()
        for i in range(3):
            x = x * (i + 2)
            if i == 1:  # half way
                torch._dynamo.graph_break()
            x = x + 1
        return x.relu()


def make_inputs():
    return [((torch.linspace(-1, 1, 6),), {}), ((torch.linspace(-2, 2, 6),), {})]


# output
import torch
from torch import nn


class Once(nn.Module):
    def forward(self, x):
        x = x.tanh()
        # half way
        x = x * (0 + 2)
        x = x + 1
        x = x * (1 + 2)
        torch._dynamo.graph_break()
        x = x + 1
        x = x * (2 + 2)
        x = x + 1
        return x.relu()


def make_inputs():
    return [((torch.linspace(-1, 1, 6),), {}), ((torch.linspace(-2, 2, 6),), {})]
