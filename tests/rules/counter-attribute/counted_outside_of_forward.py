import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.calls = 0

    def tick(self):
        self.calls += 1

    def forward(self, x):
        return self.lin(x) * self.calls
