# refuses: the value may be the argument `x` itself
# refuses: `low` may be `self.bias` itself, of which a graph would give a copy: `(high, low)` is returned
# refuses: `x` may be the argument `x` itself, of which a graph would give a copy: `(x, h)` is returned
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.register_buffer("bias", torch.zeros(4))

    def forward(self, x):
        h = self.lin(x)
        if h.mean() > 0:
            high = x
        else:
            high = x * 2
        if h.mean() > 1:
            low = self.bias
        else:
            low = self.bias * 2
        high.add_(1)
        return high, low


def chosen(x, w):
    h = torch.tanh(w)
    scaled = torch.exp(x)
    kept = []
    kept.append(x if h.mean() > 0 else x * 2)
    return kept, scaled


def scaled(x, w):
    h = torch.tanh(w) + x.abs()
    if h.mean() > 0:
        x = x / 2
    return x, h
