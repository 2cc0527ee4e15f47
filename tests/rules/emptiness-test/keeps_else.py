import torch


@torch.compile
def fill(x: torch.Tensor):
    y = x * 2
    bad = y > 3
    if bad.any():
        y[bad] = 0.0
    else:
        y += 1
    return y
