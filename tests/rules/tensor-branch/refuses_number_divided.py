# refuses: shape
import torch


@torch.compile
def shift(x, n):
    h = torch.tanh(x)
    # Dividing by a Python number that is zero raises, and the arm may not be taken for that reason.
    if h.sum() > 0:
        h = h + torch.ones(3) * (1 / n)
    return h
