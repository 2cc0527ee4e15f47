# flags: --unsafe-fixes
# runs: make_callable make_inputs
import time

import torch

ROUNDS = 2
SCALES = (0.5, 0.25)
elapsed = {}


def decode(x):
    x = torch.tanh(x)
    for level, scale in enumerate(SCALES, start=ROUNDS - 1):
        x = x * scale + level
        elapsed["last"] = time.perf_counter()
    return torch.relu(x) * level


def make_callable():
    return decode


def make_inputs():
    return [((torch.linspace(-1, 1, 6),), {}), ((torch.linspace(-2, 2, 6),), {})]


class Holder(torch.nn.Module):
    def forward(self, *args):
        return decode(*args)


# output
import time

import torch

ROUNDS = 2
SCALES = (0.5, 0.25)
elapsed = {}


def decode(x):
    x = torch.tanh(x)
    x = x * 0.5 + 1
    elapsed["last"] = time.perf_counter()
    x = x * 0.25 + 2
    elapsed["last"] = time.perf_counter()
    level = 2
    return torch.relu(x) * level


def make_callable():
    return decode


def make_inputs():
    return [((torch.linspace(-1, 1, 6),), {}), ((torch.linspace(-2, 2, 6),), {})]


class Holder(torch.nn.Module):
    def forward(self, *args):
        return decode(*args)
