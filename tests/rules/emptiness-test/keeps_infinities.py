import torch


@torch.compile
def fill(x: torch.Tensor):
    y = x * 2
    if y.isnan().any():
        y = y.nan_to_num()
    return y
