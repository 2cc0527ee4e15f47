import torch


@torch.compile
def shifted(x, mask):
    mask.logical_not_()
    if mask.all():
        return x.sum(0)
    return x
