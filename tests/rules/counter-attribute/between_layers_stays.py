# refuses: the fix changes something a caller can see
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.calls = 0

    def forward(self, x):
        h = self.lin(x)
        self.calls += 1
        return self.lin(h)
