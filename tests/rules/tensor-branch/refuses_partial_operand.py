# refuses: may raise
import torch


@torch.compile
def partial(x, index):
    h = torch.tanh(x)
    if h.mean() > 0 and h[index].sum() > 1:
        h = h * 2
    return h
