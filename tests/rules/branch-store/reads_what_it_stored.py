# refuses: an arm reads what it has stored
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.a = torch.zeros(2, 3)
        self.b = torch.zeros(2, 3)

    def forward(self, x):
        y = self.lin(x)
        if y.sum() > 0:
            self.a = y.detach()
            self.b = self.a * 2
        return y + self.b
