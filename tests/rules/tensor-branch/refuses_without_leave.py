# refuses: something a caller can see
import torch
from torch import nn


class Heads(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk, self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 3), nn.Linear(4, 3)

    def forward(self, x):
        h = self.trunk(x)
        if h.std() < 1:
            out = self.a(h)
        else:
            out = self.b(h)
        return out
