import torch
from torch import nn


class Loops(nn.Module):
    def __init__(self, width=3):
        super().__init__()
        self.into = nn.Linear(width, width)
        self.rounds = 3

    def forward(self, x, y, n: int):
        # Over a batch, a setting, a number; nothing carried; little to do.
        total = x.new_zeros(3)
        for b in range(x.shape[0]):
            total = total + self.into(x[b]).tanh() * 0.5
        for r in range(self.rounds):
            total = total + self.into(x[:, r]).tanh().sum() * 0.5
        for i in range(n):
            total = total + self.into(x[:, i]).tanh().sum() * 0.5
        parts = []
        for t in range(x.shape[1]):
            parts.append(self.into(x[:, t]).tanh() * 0.5 + 1)
        for t in range(y.size(1)):
            total = total + y[0, t]
        return total, parts
