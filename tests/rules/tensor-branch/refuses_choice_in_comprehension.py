# refuses: comprehension
import torch


@torch.compile
def chosen(x):
    h = torch.tanh(x)
    return [h * k if h.mean() > 0 else h - k for k in (1, 2)]
