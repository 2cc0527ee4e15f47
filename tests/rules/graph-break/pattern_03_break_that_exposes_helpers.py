# refuses: the size of its result depends on the values
import torch
from torch import nn


def rearrange(x, heads):
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


class Vit(nn.Module):
    def forward(self, x, counts: torch.Tensor):
        x = x.tanh()
        x = x.repeat_interleave(counts, dim=0)
        return rearrange(x, 2) + rearrange(x.half(), 2)
