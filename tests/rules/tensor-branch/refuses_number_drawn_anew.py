# refuses: `lam` is a Python number that may change from call to call
import numpy as np
import torch
from torch import nn


class Mixup(nn.Module):
    def forward(self, x, y):
        x = x.relu()
        lam = np.random.beta(0.4, 0.4)
        if x.sum() > 0:
            x = lam * x + (1 - lam) * x.flip(0)
        else:
            x = lam * x + (1 - lam) * x.roll(1, 0)
        return x, y
