import torch


@torch.compile
def fill(x: torch.Tensor):
    y = x * 2
    if (torch.rand_like(y) > 0.5).any():
        y[torch.rand_like(y) > 0.5] = 0.0
    return y
