import torch
from torch import nn


class Clean(nn.Module):
    def forward(self, x, visit):
        for i in range(3):
            x = x * (i + 1)
            x = visit(x)
        assert (x > 0).all(), "positive"
        return x.relu()
