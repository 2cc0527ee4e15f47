import torch
from torch import nn

UNIT = 2


class Pieces(nn.Module):
    def forward(self, x, counts):
        return torch.stack([p.sum(0) for p in torch.split(x, (counts * UNIT).tolist())])


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.pieces = Pieces()

    def forward(self, x, counts):
        UNIT = x.shape[0]
        return self.pieces(x, counts) / UNIT
