import torch


@torch.compile
def fill(x: torch.Tensor):
    y = x * 2
    bad, low = y.isnan(), y < 0
    if bad.any():
        y[low] = 0.0
    return y
