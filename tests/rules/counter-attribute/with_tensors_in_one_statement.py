# refuses: changes within a statement that also works on tensors
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.calls = 0

    def forward(self, x):
        if self.calls % 2 == 0:
            x = x * 2
            self.calls += 3
        return self.lin(x)
