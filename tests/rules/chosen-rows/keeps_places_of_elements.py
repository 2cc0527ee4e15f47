# flags: --unsafe-fixes
import torch


@torch.compile
def refined(x, mask):
    row, column = torch.where(mask)
    return x[row, column]


def load(path, mask, x):
    rows = torch.where(mask)[0]
    x[rows] = torch.load(path)
    return x
