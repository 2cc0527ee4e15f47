import torch
from torch import nn


class Pieces(nn.Module):
    def __init__(self):
        super().__init__()
        self.unit = 1

    def grow(self):
        self.unit = 2

    def forward(self, x, counts):
        return torch.stack([p.sum(0) for p in torch.split(x, (counts * self.unit).tolist())])


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.pieces = Pieces()

    def forward(self, x, counts):
        self.pieces.grow()
        return self.pieces(x, counts)
