# refuses: `self.prev` may still be None
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.prev = None

    def forward(self, x):
        y = self.lin(x)
        if y.sum() > 0:
            self.prev = y.detach()
        return y if self.prev is None else y + self.prev
