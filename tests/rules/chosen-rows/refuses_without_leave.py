# refuses: the fix changes something a caller can see
import torch


@torch.compile
def refined(x, mask, weight):
    rows = torch.where(mask)[0]
    x[rows] = x[rows] @ weight
    return x
