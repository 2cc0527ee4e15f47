# flags: --unsafe-fixes
# runs: Net make_inputs
import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        x = x.tanh()
        for i in range(2):
            # Each level halves what is left.
            x = x * (i + 2)
            torch._dynamo.graph_break()
            x = x + 1  # keep it positive
        return x.relu()


def make_inputs():
    return [((torch.linspace(-1, 1, 6),), {}), ((torch.linspace(-2, 2, 6),), {})]


class Holder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.held = Net()

    def forward(self, *args):
        return self.held(*args)


# output
import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        x = x.tanh()
        # Each level halves what is left.
        x = x * (0 + 2)
        torch._dynamo.graph_break()
        x = x + 1  # keep it positive
        x = x * (1 + 2)
        torch._dynamo.graph_break()
        x = x + 1
        return x.relu()


def make_inputs():
    return [((torch.linspace(-1, 1, 6),), {}), ((torch.linspace(-2, 2, 6),), {})]


class Holder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.held = Net()

    def forward(self, *args):
        return self.held(*args)
