# refuses: in one arm only
import torch


@torch.compile
def unbound(x):
    h = torch.tanh(x)
    if h.mean() > 0:
        y = h * 2
    else:
        z = h
    return y
