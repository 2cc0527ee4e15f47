import torch
from torch import nn


class Plain(nn.Module):
    def __init__(self, bias=True):
        super().__init__()
        self.w = nn.Linear(4, 4, bias=bias)
        self.extra = None

    def forward(self, x, mask=None):
        if x.dim() == 2:
            x = x[None]
        h = self.w(x)
        if mask is not None:
            h = h.masked_fill(mask, 0.0)
        if self.training and self.extra is not None:
            h = h + self.extra
        if h.shape[0] == 1 or not h.is_floating_point():
            h = h * 2
        return h
