# select: TR101,TR107
# refuses: an arm changes `h` in place
import torch


@torch.compile
def damp(x, names):
    h = torch.tanh(x)
    if h.sum() > 0:
        h.mul_(0.5)
        names.append("damped")
    return h
