import torch
from torch import nn

from .settings import packed


class Pieces(nn.Module):
    def forward(self, x, grid):
        if packed():
            return x[: int(grid[0, 1].item())]
        return x


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.pieces = Pieces()

    def forward(self, x, grid):
        return self.pieces(x, grid)
