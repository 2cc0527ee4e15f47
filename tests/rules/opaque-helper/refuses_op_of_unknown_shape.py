# refuses: the shapes of its results depend on values
import torch


@torch.compile
def score(x, mask):
    return x[places(mask)].sum()


def places(mask: torch.Tensor):
    found = mask.nonzero()[:, 0]
    out = torch.zeros(found.shape[0], dtype=torch.int64)
    for i, place in enumerate(found):
        if place > 1:
            out[i] = place
    return out
