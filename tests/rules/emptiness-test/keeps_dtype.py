import torch


@torch.compile
def fill(x: torch.Tensor):
    y = x.long() * 2
    bad = y > 3
    if bad.any():
        y = torch.where(bad, 0.5, y)
    return y
