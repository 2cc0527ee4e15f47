import torch
from elsewhere import traced


@traced
@torch.compile
def scaled(x, gain):
    if gain.max() > 3:
        x = x.sum(0)
    return x
