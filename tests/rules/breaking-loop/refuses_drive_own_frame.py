# refuses: its `break` would have to cross the border of a function
import torch
from torch import nn


def relax(x):
    for _ in range(9):
        y = x.cos() * 0.5 + 0.25
        if (y - x).abs().max().item() < 1e-2:
            break
        x = y
    return x, sorted(locals())


def relax_and_watch(x, watch):
    for _ in range(9):
        y = x.cos() * 0.5 + 0.25
        watch(lambda: y)
        if (y - x).abs().max().item() < 1e-2:
            break
        x = y
    return x


class Deeper(nn.Module):
    def forward(self, x):
        for _ in range(9):
            y = x.cos() * 0.5 + 0.25
            if (y - x).abs().max().item() < 1e-2:
                break
            x = y
        return super().forward(x)
