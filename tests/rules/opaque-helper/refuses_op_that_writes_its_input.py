# refuses: it can not be an op: it changes `mask` in place
import torch


@torch.compile
def score(x, mask):
    return x[places(mask)].sum()


def places(mask: torch.Tensor):
    out = torch.zeros(mask.shape[0], dtype=torch.int64)
    for i, row in enumerate(mask):
        if row.any():
            out[i] = 1
            mask[i] = False
    return out
