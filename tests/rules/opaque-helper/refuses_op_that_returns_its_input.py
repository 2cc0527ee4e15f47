# refuses: a result shares memory with what it is given
import torch


@torch.compile
def score(x, mask):
    out, same = places(mask)
    return x[out].sum() + same.sum()


def places(mask: torch.BoolTensor):
    out = torch.zeros(mask.shape[0], dtype=torch.int64)
    for i, row in enumerate(mask):
        found = row.nonzero()
        if found.numel():
            out[i] = 1
    return out, mask.bool()
