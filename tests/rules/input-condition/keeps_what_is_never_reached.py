import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def encode(self, x, grid=None):
        if x is not None:
            h = self.lin(x)
            return h.mean(0)
            rows = h[: int(grid[0, 1].item())]
        return x

    def forward(self, x, grid: torch.Tensor | None = None):
        return self.encode(x * 2, grid) + 1
