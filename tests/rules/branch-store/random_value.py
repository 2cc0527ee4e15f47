# refuses: may cost, raise or act where its arm is not taken
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.kept = torch.zeros(2, 3)

    def forward(self, x):
        y = self.lin(x)
        if y.sum() > 0:
            self.kept = torch.rand_like(y)
        return y + self.kept
