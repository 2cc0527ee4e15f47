import torch


@torch.compile
def pooled(x, mask):
    if mask is None:
        mask = torch.ones(x.shape[:2])
    if mask.all():
        return x.mean(1)
    return x.sum(1)
