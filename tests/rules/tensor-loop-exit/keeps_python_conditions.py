import torch


def grow(x, n: int):
    while x.shape[0] < n:
        x = torch.cat([x, x.sin() * 2])
    for i in range(n):
        x = x.cos() + i
        if i > 3 and x.dim() == 2:
            break
    return x
