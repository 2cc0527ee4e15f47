import torch
from torch import nn


class Pieces(nn.Module):
    def forward(self, x, counts):
        return torch.stack([p.sum(0) for p in torch.split(x, counts.tolist())])


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.pieces = Pieces()

    def forward(self, x, counts):
        for _ in range(2):
            x = self.pieces(x, counts)
            counts = counts[:1]
        return x
