import torch
from helpers import corrupt


@torch.compile
def pooled(x, mask=None):
    if mask is None:
        mask = torch.ones(x.shape[:2])
    corrupt(mask)
    if mask.all():
        return x.mean(1)
    return x.sum(1)
