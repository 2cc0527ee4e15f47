import torch
from torch import nn


class Pyramid(nn.Module):
    def forward(self, x, n: int):
        levels = [x.tanh() * i + 1 for i in range(n)]
        names = {str(i): level.shape for i, level in enumerate(levels)}
        return torch.stack(levels).sum(0), names
