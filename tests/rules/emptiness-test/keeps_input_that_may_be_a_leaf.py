import torch


@torch.compile
def clean(x: torch.Tensor, y: torch.Tensor):
    bad = (x * y).isnan()
    if bad.any():
        x[bad] = 0.0
    return x * 2
