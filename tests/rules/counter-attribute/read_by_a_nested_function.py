# refuses: a nested function reads `self.calls`
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.calls = 0

    def forward(self, x):
        def scaled(y):
            return y * self.calls

        self.calls += 1
        return scaled(self.lin(x))
