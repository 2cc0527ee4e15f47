# refuses: a Python condition is mixed in
import torch


@torch.compile
def clip(grads, strict, limit):
    norm = sum(g.detach().square().sum() for g in grads)
    if strict and norm > limit:
        for g in grads:
            g.mul_(0.5)
    return norm
