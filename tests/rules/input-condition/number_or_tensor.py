# runs: make_model make_inputs
import torch
from torch import nn


class Denoiser(nn.Module):
    """The noise level is a number, or a tensor with one for each sample."""

    def forward(self, x, noise, sigma):
        h = x * 2
        if isinstance(sigma, torch.Tensor):
            if sigma.sum() > 0:
                h = h + 1
        return h + noise * sigma


def make_model():
    return Denoiser()


def make_inputs():
    x = torch.ones(2)
    return [((x, x, 0.5), {}), ((x, x, x * 0.5), {}), ((x, x, x * -0.5), {})]


# output
import torch
from torch import nn


class Denoiser(nn.Module):
    """The noise level is a number, or a tensor with one for each sample."""

    @torch._dynamo.decorators.skip
    def forward(self, x, noise, sigma):
        return self._forward(
            x,
            noise,
            sigma,
            sigma_sum_above_0=bool(isinstance(sigma, torch.Tensor) and sigma.sum() > 0),
        )

    def _forward(self, x, noise, sigma, *, sigma_sum_above_0):
        h = x * 2
        if isinstance(sigma, torch.Tensor):
            if sigma_sum_above_0:
                h = h + 1
        return h + noise * sigma


def make_model():
    return Denoiser()


def make_inputs():
    x = torch.ones(2)
    return [((x, x, 0.5), {}), ((x, x, x * 0.5), {}), ((x, x, x * -0.5), {})]
