# refuses: `self.layers` is another string or number of a layer in each trip
import torch
from torch import nn


class Layer(nn.Module):
    def __init__(self, index):
        super().__init__()
        self.index = index
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        return self.lin(x) * self.index


class Stack(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.layers = nn.ModuleList([Layer(i) for i in range(depth)])

    def forward(self, x):
        x = x.tanh()
        for layer in self.layers:
            x = layer(x)
            torch._dynamo.graph_break()
            x = x + 1
        return x.relu()
