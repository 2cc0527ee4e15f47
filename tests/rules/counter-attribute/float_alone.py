import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.rate = 1.0

    def forward(self, x):
        self.rate *= 0.9
        return self.lin(x) * self.rate
