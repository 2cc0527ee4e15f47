# flags: --unsafe-fixes
# runs: Outer make_inputs
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        x = self.lin(x)
        torch._dynamo.graph_break()
        return x.relu()


class Outer(nn.Module):
    def __init__(self, depth=10):
        super().__init__()
        self.blocks = nn.ModuleList([Block() for _ in range(depth)])

    def forward(self, x):
        x = x.tanh()
        for block in self.blocks:
            x = block(x)
        return x.sum()


def make_inputs():
    return [((torch.linspace(-1, 1, 8).view(2, 4),), {})]


class Holder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.held = Block()

    def forward(self, *args):
        return self.held(*args)


# output
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        x = self.lin(x)
        torch._dynamo.graph_break()
        return x.relu()


class Outer(nn.Module):
    def __init__(self, depth=10):
        super().__init__()
        self.blocks = nn.ModuleList([Block() for _ in range(depth)])

    def forward(self, x):
        x = x.tanh()
        x = self._run_blocks(x)
        return x.sum()

    def _run_blocks(self, x):
        # Dynamo skips a function with a graph break in a loop, so the loop and its body are functions of their own.
        for block in self.blocks:
            x = block(x)
        return x


def make_inputs():
    return [((torch.linspace(-1, 1, 8).view(2, 4),), {})]


class Holder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.held = Block()

    def forward(self, *args):
        return self.held(*args)
