import torch


@torch.compile
def pooled(x, mask=None):
    if mask is None:
        mask = torch.ones(x.shape[:2])
    first = mask[:, 0]
    first.zero_()
    if mask.all():
        return x.mean(1)
    return x.sum(1)
