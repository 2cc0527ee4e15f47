# refuses: `n`: the arms are not known to give the same dtype
# refuses: `m`: the arms are not known to give the same dtype
import torch


def count(x, y):
    h = torch.exp(x)
    if h.sum() > 8:
        n = h.sum()
    else:
        n = h.long().sum()
    if h.sum() > 9:
        m = (h > 1).sum()
    else:
        m = y.mean()
    return n + m
