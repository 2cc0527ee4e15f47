# refuses: follow an early return
import torch


@torch.compile
def long(x):
    h = torch.tanh(x)
    if h.mean() > 0:
        return h
    h = h + 1
    h = h + 2
    h = h + 3
    h = h + 4
    h = h + 5
    h = h + 6
    h = h + 7
    h = h + 8
    h = h + 9
    h = h + 10
    h = h + 11
    h = h + 12
    return h
