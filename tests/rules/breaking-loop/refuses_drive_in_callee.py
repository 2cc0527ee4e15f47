# refuses: its `break` would have to cross the border of a function
import torch
from torch import nn


class Relax(nn.Module):
    def forward(self, x):
        for _ in range(9):
            y = x.cos() * 0.5 + 0.25
            if (y - x).abs().max().item() < 1e-2:
                break
            x = y
        return x


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.relax = Relax()

    def forward(self, x):
        return self.relax(x * 2)
