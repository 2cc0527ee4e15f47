import math

import torch


@torch.compile
def scaled(x, t: float):
    y = x * t
    return y * math.exp(y.sum().item())
