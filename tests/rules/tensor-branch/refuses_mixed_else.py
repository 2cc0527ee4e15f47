# refuses: a Python condition is mixed in
import torch


@torch.compile
def mixed(x, flag: bool):
    h = torch.tanh(x)
    if flag and h.mean() > 0:
        h = h * 2
    else:
        h = h * 3
    return h
