import torch


@torch.compile
def score(x, mask):
    return x[places(mask)].sum()


def places(mask: torch.Tensor):
    out = torch.zeros(1, dtype=torch.int64)
    for i, row in enumerate(mask):
        found = row.nonzero()
        if found.numel():
            out.resize_(i + 1)
    return out
