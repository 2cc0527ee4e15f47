import torch


@torch.compile
def scaled(x, gain, quick: bool):
    y = x.relu()
    if x.dim() == 2:
        if quick:
            return y
        y = y + 1
    if gain.max() > 1:
        y = y * 3
    return y
