# refuses: on the host
import torch


@torch.compile
def read(x):
    h = torch.tanh(x)
    if h.mean() > 0:
        h = h * h.max().item()
    return h
