# refuses: `h` may be the argument `h` itself, of which a graph would give a copy: `h` is returned
import torch


def limited(h):
    if torch.isinf(h).any():
        h = torch.clamp(h, -1, 1)
    return h


def layer(x):
    y = torch.relu(x)
    return limited(y), limited(x)
