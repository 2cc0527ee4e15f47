import torch
from torch import nn


class Inner(nn.Module):
    def forward(self, h):
        h = torch.relu(h) * 2
        try:
            top = h.max().item()
        except RuntimeError:
            top = 0.0
        return torch.tanh(h * top) * 2


class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()
        self.lin = nn.Linear(3, 3)

    def forward(self, x):
        return self.lin(self.inner(self.lin(x)))
