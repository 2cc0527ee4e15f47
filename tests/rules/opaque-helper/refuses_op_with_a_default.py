# refuses: its parameters are not all plain ones without defaults
import torch


@torch.compile
def score(x, mask):
    return x[places(mask)].sum()


def places(mask: torch.Tensor, start: int = 0):
    out = torch.zeros(mask.shape[0], dtype=torch.int64)
    for i, row in enumerate(mask):
        if row.any():
            out[i] = start
    return out
