import torch


def scales(x, sizes):
    factors = torch.tensor([len(s) for s in sizes], dtype=torch.float32)
    small = torch.tensor([len(s) for s in sizes], dtype=torch.int32)
    return [x * f for f in factors], x[: small[0]]
