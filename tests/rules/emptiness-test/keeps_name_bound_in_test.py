import torch


@torch.compile
def fill(x: torch.Tensor):
    y = x * 2
    low = y < 0
    if (high := y > 3).any() or low.any():
        y[low] = 0.0
    return y, high
