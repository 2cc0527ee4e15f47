import torch


@torch.compile
def score(x, mask):
    return x * counts(mask).sum()


def counts(mask: torch.Tensor):
    out = torch.zeros(mask.shape[0], dtype=torch.int64)
    for i, row in enumerate(mask):
        out[i] = row.sum()
    return out
