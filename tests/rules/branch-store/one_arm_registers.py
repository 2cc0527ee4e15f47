# refuses: only one arm registers the buffer `freq`
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.register_buffer("freq", torch.ones(2, 3))

    def forward(self, x):
        y = self.lin(x)
        if y.sum() > 0:
            self.register_buffer("freq", y.detach())
        return y + self.freq
