import torch


def f(x: torch.Tensor):
    h = x.tanh()
    parts = {"low": h.min(), "high": h.max()}
    return h * 2, [p.item() for p in parts.values()], {k: p.item() for k, p in parts.items()}
