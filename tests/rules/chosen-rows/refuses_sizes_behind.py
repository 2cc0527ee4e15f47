# flags: --unsafe-fixes
# refuses: is read behind the rows
import torch


@torch.compile
def refined(x, mask, weight):
    y = torch.relu(x)
    rows = torch.where(mask)[0]
    part = x[rows]
    count, width = part.shape
    y[rows] = part * 2
    return y / count
