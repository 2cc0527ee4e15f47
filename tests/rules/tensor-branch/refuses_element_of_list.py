# refuses: shape
import torch


@torch.compile
def shift(x, steps):
    h = torch.tanh(x)
    if h.sum() > 0:
        h = h + steps[0]
    return h
