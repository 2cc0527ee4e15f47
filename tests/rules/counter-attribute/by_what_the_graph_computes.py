# refuses: changes by `n`, which the graph computes
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.calls = 0

    def forward(self, x):
        y = self.lin(x)
        n = y.shape[0]
        self.calls += n
        return y
