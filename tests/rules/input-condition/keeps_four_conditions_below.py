# refuses: 4 conditions would make 16 variants of the graph
import torch
from torch import nn


class Inner(nn.Module):
    def forward(self, x, a, b, c, d):
        if a.all():
            x = x.sum(0)
        if b.all():
            x = x.flatten()
        if c.all():
            x = x[:1]
        if d.all():
            x = x[None]
        return x


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()

    def forward(self, x, a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, d: torch.Tensor):
        return self.inner(x, a, b, c, d)
