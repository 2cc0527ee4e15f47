# flags: --unsafe-fixes
# refuses: its `break` would have to cross the border of a function
import torch
from torch import nn


class Pruned(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])

    def prune(self):
        self.layers.pop(-1)

    def forward(self, x):
        x = x.tanh()
        for layer in self.layers:
            x = layer(x)
            torch._dynamo.graph_break()
            if x.shape[0] > 7:
                break
        return x.relu()


class Holder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.held = Pruned()

    def forward(self, *args):
        return self.held(*args)
