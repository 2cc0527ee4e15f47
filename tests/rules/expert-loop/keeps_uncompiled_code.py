# flags: --unsafe-fixes
import torch


def load_mixture(x, mask, weights, path):
    out = torch.load(path)
    for index in range(3):
        row, slot = torch.where(mask[index])
        out.index_add_(0, row, x[row] @ weights[index])
    return out
