# flags: --unsafe-fixes
# refuses: nothing tells that others have no rows
import torch


@torch.compile
def mixture(x, mask, other, weights):
    out = torch.zeros_like(x)
    hit = (other.sum(-1) > 0).nonzero()
    for index in hit:
        index = index[0]
        row, slot = torch.where(mask[index])
        out.index_add_(0, row, x[row] @ weights[index])
    return out
