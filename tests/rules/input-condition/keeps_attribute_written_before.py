import torch
from torch import nn


class Stateful(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(()))
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        self.seen += 1
        h = self.fc(x)
        if self.seen > 3:
            h = h.sum(0)
        return h
