# refuses: dtype
import torch


@torch.compile
def scale(x):
    h = torch.tanh(x)
    if h.max() > 0.5:
        s = h > 0
    else:
        s = h * 0.5
    return s
