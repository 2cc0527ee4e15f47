# refuses: changes within a statement that also works on tensors
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.calls = 0

    def forward(self, x):
        for _ in range(2):
            x = self.lin(x)
            self.calls += 1
        return x
