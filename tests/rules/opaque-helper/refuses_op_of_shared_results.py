# refuses: two results may share memory
import torch


@torch.compile
def score(x, mask):
    first, again = places(mask)
    return x[first].sum() + again


def places(mask: torch.Tensor):
    out = torch.zeros(mask.shape[0], dtype=torch.int64)
    view = out[1:]
    for i, row in enumerate(mask):
        if row.any():
            out[i] = 1
    return out, view
