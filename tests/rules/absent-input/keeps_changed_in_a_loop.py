import torch


@torch.compile
def pooled(x, mask=None):
    if mask is None:
        mask = torch.ones(x.shape[:2])
    for i in range(2):
        mask = mask * x[..., i]
    if mask.all():
        return x.mean(1)
    return x.sum(1)
