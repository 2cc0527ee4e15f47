import torch


@torch.compile
def fill(x: torch.Tensor, low: bool):
    y = x * 2
    bad = y > 3
    if low:
        limit = 3.0
    if bad.any():
        y[bad] = limit
    return y
