# refuses: `self` is handed on whole
import torch
from torch import nn


def scale(net, x):
    return x * net.calls


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        return scale(self, x)
