import math

import torch


@torch.compile
def turned(x, t: float):
    return x * math.cos(t) + math.sqrt(t)
