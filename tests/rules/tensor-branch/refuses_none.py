# refuses: none value
import torch


@torch.compile
def auxiliary(x):
    h = torch.tanh(x)
    aux = None
    if h.abs().max() > 0.5:
        aux = h.sum()
    return h, aux
