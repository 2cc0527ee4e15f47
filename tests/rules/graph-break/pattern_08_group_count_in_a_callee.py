# refuses: Python needs the number itself
import torch
from torch import nn


def scatter(x, index, dim_size=None):
    if dim_size is None:
        dim_size = int(index.max()) + 1
    return x.new_zeros(dim_size, x.shape[1]).index_add_(0, index, x)


class Conv(nn.Module):
    def forward(self, x, index):
        index = index.roll(1)
        return scatter(x.relu(), index)
