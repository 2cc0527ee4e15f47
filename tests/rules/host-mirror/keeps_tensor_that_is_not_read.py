import torch


def weighted(x):
    sizes = torch.tensor([x.shape[0], x.shape[1]])
    return x * sizes.sum() / sizes[0] + torch.arange(6)[sizes].sum()
