import torch


@torch.compile
def pooled(x, mask=None):
    if mask is None:
        mask = torch.ones(x.shape[:2], dtype=torch.uint8)
    small = torch.ones_like(x) if mask is None else torch.ones(2)
    twice = (torch.ones(3) + 1).to(torch.bool)
    below = torch.zeros(3) - 1
    if (mask - 2 < 0).all() or (twice == 1).all() or (below > 0).any() or (small + small == 2).all():
        return x.mean(1)
    if torch.ones(2, 3).all(1):
        return x
    return x.sum(1)
