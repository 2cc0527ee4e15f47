import torch


@torch.compile
def score(x, mask):
    return x[places(mask)].sum()


def places(mask: torch.Tensor):
    out = torch.zeros(1, dtype=torch.int64)
    for row in mask:
        found = row.nonzero()
        if found.numel():
            out = torch.cat([out, found[0]])
    return out
