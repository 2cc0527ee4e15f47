import torch


@torch.compile
def fill(x: torch.Tensor, y: torch.Tensor):
    z = x * 2
    bad = (z + y).isnan()
    if bad.any():
        z = z.masked_fill(bad, 0.0)
    return z.sum(0)
