# refuses: the arm binds a name that is used outside of it
import torch


@torch.compile
def clip(grads, limit, scale):
    norm = sum(g.detach().square().sum() for g in grads)
    if norm > limit:
        scale = limit / norm
        for g in grads:
            g.mul_(scale)
    return norm, scale
