import torch
from elsewhere import touch


@torch.compile
def handed(x, mask):
    touch(mask)
    if mask.all():
        return x.sum(0)
    return x
