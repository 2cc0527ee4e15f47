import torch


@torch.compile
def longest(x, lengths):
    print("start")
    n = lengths.max().item()
    return x[:, :n]
