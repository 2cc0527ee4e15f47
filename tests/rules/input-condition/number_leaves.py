import torch
from torch import nn


class Single(nn.Module):
    def forward(self, x, noise, sigma):
        h = x * 2
        if not torch.is_tensor(sigma):
            return h * sigma
        if (sigma > 0).all():
            h = h + 1
        return h + noise * sigma


# output
import torch
from torch import nn


class Single(nn.Module):
    @torch._dynamo.decorators.skip
    def forward(self, x, noise, sigma):
        return self._forward(x, noise, sigma, sigma_above_0_all=bool(torch.is_tensor(sigma) and (sigma > 0).all()))

    def _forward(self, x, noise, sigma, *, sigma_above_0_all):
        h = x * 2
        if not torch.is_tensor(sigma):
            return h * sigma
        if sigma_above_0_all:
            h = h + 1
        return h + noise * sigma
