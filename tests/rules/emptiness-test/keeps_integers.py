import torch


@torch.compile
def fill(x: torch.Tensor, at: torch.Tensor):
    y = x * 2
    places = at.long()
    if places.any():
        y[places] = 0.0
    return y
