# refuses: `b` is bound on some of the paths through an arm only
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.register_buffer("bias", torch.ones(4))

    def forward(self, x):
        h = self.lin(x)
        if h.mean() > 0.1:
            b = self.bias
        elif self.training:
            b = self.bias * 2
        if x.shape[0] > 2:
            return h
        return h + b
