# refuses: depends on values
import torch


@torch.compile
def found(x):
    h = torch.tanh(x)
    if h.mean() > 0:
        h = h[h > 0]
    return h
