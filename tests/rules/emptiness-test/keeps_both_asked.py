import torch


@torch.compile
def fill(x: torch.Tensor):
    y = x * 2
    bad, low = y > 3, y < 0
    if bad.any() and low.any():
        y[low] = 0.0
    return y
