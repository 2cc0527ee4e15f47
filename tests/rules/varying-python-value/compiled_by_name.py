# runs: make_callable make_inputs
import math

import torch


@torch.compile
def decayed(x, t: float):
    return x * math.exp(-t / 10)


def make_callable():
    torch.manual_seed(0)
    return decayed


def make_inputs():
    g = torch.Generator().manual_seed(0)
    return [((torch.randn(2, 3, generator=g), 0.3 * i), {}) for i in range(1, 7)]


# output
import math

import torch


def decayed(x, t: float):
    return _decayed(x, t, t_exp=math.exp(-t / 10))


@torch.compile
def _decayed(x, t: float, *, t_exp):
    return x * t_exp


def make_callable():
    torch.manual_seed(0)
    return decayed


def make_inputs():
    g = torch.Generator().manual_seed(0)
    return [((torch.randn(2, 3, generator=g), 0.3 * i), {}) for i in range(1, 7)]
