# flags: --unsafe-fixes
# refuses: running every expert would show: `print` writes to the outside
import torch
from torch import nn


class Mixture(nn.Module):
    def __init__(self, count=3, width=4):
        super().__init__()
        self.experts = nn.ModuleList(nn.Linear(width, width) for _ in range(count))
        self.drop = nn.Dropout(0.5)

    def forward(self, x, mask):
        out = torch.zeros_like(x)
        for index in range(len(self.experts)):
            row, slot = torch.where(mask[index])
            hidden = self.experts[index](x[row])
            print(hidden)
        return out
