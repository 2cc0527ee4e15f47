import torch
from torch import nn


def rows(table, keep):
    return table[keep.bool()]


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.randn(6, 4))

    def forward(self, x, keep):
        return x + rows(self.table, keep).sum(0)
