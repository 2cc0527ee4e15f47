# refuses: compiled code of the file calls this function
import torch
from torch import nn


def relax(x):
    while x.abs().max() > 0.5:
        x = x.tanh() * 0.75
    return x


class Model(nn.Module):
    def forward(self, x):
        return relax(x * 2)
