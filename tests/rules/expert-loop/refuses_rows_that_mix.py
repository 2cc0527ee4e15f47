# flags: --unsafe-fixes
# refuses: is not known to treat each row by itself
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
            out.index_add_(0, row, hidden - hidden.mean(0))
        return out
