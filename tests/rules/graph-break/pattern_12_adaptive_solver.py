# refuses: which way Python goes depends on the value of a tensor
import bisect

import torch
from torch import nn


class Solver(nn.Module):
    def __init__(self, func):
        super().__init__()
        self.func = func

    def forward(self, y: torch.Tensor, t: torch.Tensor, grid: torch.Tensor):
        first = t.clone().abs()
        at = bisect.bisect(grid.tolist(), 0.5)
        while first < grid[at]:
            step = (grid[at] - first).clamp(max=0.1)
            y = y + self.func(first, y) * step
            first = first + step
        return y
