# flags: --unsafe-fixes
# refuses: `mask` is changed before the rows are stored
import torch


@torch.compile
def refined(x, mask, weight):
    y = torch.relu(x)
    rows = torch.where(mask)[0]
    mask.logical_not_()
    y[rows] = x[rows] @ weight
    return y
