import math
import random

import numpy as np
import torch


def fine(x: torch.Tensor, n: int, scale: float):
    half = int(np.ceil(n / 2)) + math.floor(scale) + int(scale)
    shift = random.randint(1, 2)
    if x.is_floating_point():
        x = x.requires_grad_(False)
    return x[:half] * shift
