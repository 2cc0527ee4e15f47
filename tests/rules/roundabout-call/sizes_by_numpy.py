# runs: make_callable make_inputs
import numpy as np
import torch


def flat(x: torch.Tensor):
    n = int(np.prod(x.shape[1:]))
    return x.reshape(-1, n) * int(np.prod(x.size()))


def make_callable():
    return flat


def make_inputs():
    return [((torch.arange(24.0).reshape(2, 3, 4),), {}), ((torch.arange(5.0),), {})]


# output
import math

import numpy as np
import torch


def flat(x: torch.Tensor):
    n = math.prod(x.shape[1:])
    return x.reshape(-1, n) * math.prod(x.size())


def make_callable():
    return flat


def make_inputs():
    return [((torch.arange(24.0).reshape(2, 3, 4),), {}), ((torch.arange(5.0),), {})]
