# refuses: it stands in a nested function
import torch
from torch import nn


class Model(nn.Module):
    def forward(self, x):
        def relax(y):
            while y.abs().max() > 0.5:
                y = y.tanh() * 0.75
            return y

        return relax(x * 2)
