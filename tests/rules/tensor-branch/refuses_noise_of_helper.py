# refuses: shape
import torch


def jitter(h, y):
    return torch.maximum(h + torch.rand_like(h), y)


@torch.compile
def shift(x, y):
    h = torch.tanh(x)
    if h.sum() > 0:
        h = jitter(h, y)
    return h
