# refuses: several readers would share it, on the way `Model.forward` → `kept`
import torch
from torch import nn


def kept(ids, mask):
    return ids[mask.bool()]


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(9, 4)

    def forward(self, ids, mask):
        x = self.table(ids)
        first, second = kept(ids, mask), kept(ids, mask)
        first += 1
        return x.sum() + self.table(first).sum() - self.table(second).sum()
