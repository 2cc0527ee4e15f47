import torch


@torch.compile
def looped(x, masks):
    for mask in masks:
        if mask.all():
            x = x.sum(0, keepdim=True)
    return x
