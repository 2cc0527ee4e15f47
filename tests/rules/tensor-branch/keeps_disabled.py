import torch


@torch.compiler.disable
def eager(x):
    h = torch.tanh(x)
    if h.mean() > 0:
        h = h * 2
    return h
