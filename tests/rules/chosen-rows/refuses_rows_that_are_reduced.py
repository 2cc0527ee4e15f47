# flags: --unsafe-fixes
# refuses: is not known to treat each row by itself
import torch


@torch.compile
def refined(x, mask, weight):
    y = torch.relu(x)
    rows = torch.where(mask)[0]
    y[rows] = x[rows] - x[rows].mean(0)
    return y
