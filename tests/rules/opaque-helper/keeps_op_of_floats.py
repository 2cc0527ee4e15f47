import torch


@torch.compile
def score(x, mask):
    return x * weights(mask).sum()


def weights(mask: torch.Tensor):
    out = torch.zeros(mask.shape[0])
    for i, row in enumerate(mask):
        if row.any():
            out[i] = 1 / row.nonzero().numel()
    return out
