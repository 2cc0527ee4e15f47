# refuses: running statistics
import torch
from torch import nn


class Sometimes(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.norm = nn.BatchNorm1d(3)

    def forward(self, x):
        h = self.fc(x)
        if h.mean() > 0:
            h = self.norm(h)
        return h
