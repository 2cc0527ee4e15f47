# refuses: nothing is known
import torch
from elsewhere import touch


@torch.compile
def called(x):
    h = torch.tanh(x)
    if h.mean() > 0:
        h = touch(h)
    return h
