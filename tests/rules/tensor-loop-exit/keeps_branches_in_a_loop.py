import torch


def clipped(x, n: int):
    for _ in range(n):
        x = x.cos() * 2
        if n > 3:
            break
    if x.max() > 1:
        x = x * 0.5
    return x
