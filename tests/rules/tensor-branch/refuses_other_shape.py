# refuses: shape
import torch


@torch.compile
def summary(x):
    h = torch.tanh(x)
    if h.sum() > 0:
        y = h.mean(dim=0, keepdim=True)
    else:
        y = h
    return y
