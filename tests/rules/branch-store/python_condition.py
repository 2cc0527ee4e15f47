# refuses: a Python condition is mixed in
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.a = torch.zeros(2, 3)

    def forward(self, x, keep=True):
        y = self.lin(x)
        if keep and y.sum() > 0:
            self.a = y.detach()
        return y + self.a
