# refuses: in place
import torch


@torch.compile
def scaled(x):
    y = torch.sigmoid(x)
    h = y + 1
    if y.mean() > 0.5:
        y.mul_(2)
        h = h * 2
    return y, h
