import torch


@torch.compile
def pooled(x, mask=None):
    if mask is None:
        mask = torch.ones(x.shape[:2])
    if mask.any():
        return x.mean(1)
    return x.sum(1)
