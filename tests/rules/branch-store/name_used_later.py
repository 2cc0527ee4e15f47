# refuses: `half`, which an arm binds, is used later
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.a = torch.zeros(2, 3)

    def forward(self, x):
        y = self.lin(x)
        half = y
        if y.sum() > 0:
            half = y * 0.5
            self.a = half.detach()
        return half + self.a
