# refuses: the fix changes something a caller can see
import torch
from torch import nn


class Stack(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])

    def forward(self, x, norms):
        x = x.tanh()
        for name, layer in zip(("low", "high"), self.layers):
            x = layer(x).relu()
            norms[name] = x.norm().item()
        return x.sum(-1)


class Holder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.held = Stack()

    def forward(self, *args):
        return self.held(*args)
