# flags: --unsafe-fixes
import torch


def grow(x):
    x = torch.sin(x)
    while x.sum() < 10:
        # Each turn adds less.
        x = x * 0.5
        x = x + 1
    return torch.cos(x)
