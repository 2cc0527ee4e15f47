import torch
from torch import nn


class Clamped(nn.Module):
    def __init__(self, depth=3, always=True):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(depth))
        self.always = always

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
            if self.always or x.abs().max().item() > 4:
                x = x.clamp(-4, 4)
        return x
