# refuses: its body has a `yield`
import torch


def relaxing(x):
    x = torch.tanh(x) * 2
    for _ in range(9):
        x = x.cos() * 0.5 + 0.25
        if x.max().item() < 1e-2:
            yield x
