# refuses: its `break` would have to cross the border of a function
import functools

import torch


@functools.lru_cache
def relax(x):
    for _ in range(9):
        y = x.cos() * 0.5 + 0.25
        if (y - x).abs().max().item() < 1e-2:
            break
        x = y
    return x


@torch.no_grad()
def without_gradients(x):
    for _ in range(9):
        y = x.cos() * 0.5 + 0.25
        if (y - x).abs().max().item() < 1e-2:
            break
        x = y
    return x


@torch.compile(fullgraph=True)
def whole(x):
    for _ in range(9):
        y = x.cos() * 0.5 + 0.25
        if (y - x).abs().max().item() < 1e-2:
            break
        x = y
    return x
