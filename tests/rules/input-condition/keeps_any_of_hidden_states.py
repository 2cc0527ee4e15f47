import torch
from torch import nn


class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])

    def forward(self, x):
        states = [layer(x) for layer in self.layers]
        if any(s.isnan().any() for s in states):
            return x
        return torch.stack(states).sum(0)
