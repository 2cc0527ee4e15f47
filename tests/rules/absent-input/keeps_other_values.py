import torch


@torch.compile
def pooled(x, mask=None, other=None):
    if mask is None:
        mask = torch.rand(x.shape[:2])
    if other is None:
        other = torch.ones(x.shape[:2])
        other[0] = 0
    if mask.all() or other.all():
        return x.mean(1)
    return x.sum(1)
