# refuses: the fix changes something a caller can see
import torch


@torch.compile
def mixture(x, mask, weights):
    out = torch.zeros_like(x)
    for index in range(3):
        row, slot = torch.where(mask[index])
        out.index_add_(0, row, x[row] @ weights[index])
    return out
