import torch


@torch.compile
def dual(x):
    h = torch.tanh(x)
    if torch.compiler.is_compiling():
        h = torch.where(h.mean() > 0, h * 2, h)
    elif h.mean() > 0:
        h = h * 2
    return h
