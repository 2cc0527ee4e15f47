# refuses: changes only on calls that have not returned before
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.calls = 0

    def forward(self, x):
        h = self.lin(x)
        if x.shape[0] > 2:
            return h
        self.calls += 1
        return h * 2
