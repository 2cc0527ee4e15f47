# refuses: `self.kept` is not known to be set
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.n = 2

    def forward(self, x):
        y = self.lin(x)
        if y.sum() > 0:
            self.kept = y.detach()
        return y
