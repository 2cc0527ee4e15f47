# refuses: `print`
import torch


@torch.compile
def told(x):
    h = torch.tanh(x)
    if h.mean() > 0:
        print("high")
        h = h * 2
    return h
