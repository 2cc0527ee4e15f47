# flags: --unsafe-fixes
# runs: make_callable make_inputs
import random

import torch


def scale(x):
    x = torch.tanh(x)
    for name, (low, high) in (("a", (1, 2)), ("b", (-3, 4))):
        x = x * high + low
        label = f"{name}={low}"
        if random.choice((1,)):
            low += 1
        x = x + len(label) + low
    return torch.relu(x)


def make_callable():
    return scale


def make_inputs():
    return [((torch.linspace(-1, 1, 6),), {})]


class Holder(torch.nn.Module):
    def forward(self, *args):
        return scale(*args)


# output
import random

import torch


def scale(x):
    x = torch.tanh(x)
    name = "a"
    low = 1
    x = x * 2 + low
    label = f"{name}={low}"
    if random.choice((1,)):
        low += 1
    x = x + len(label) + low
    name = "b"
    low = -3
    x = x * 4 + low
    label = f"{name}={low}"
    if random.choice((1,)):
        low += 1
    x = x + len(label) + low
    return torch.relu(x)


def make_callable():
    return scale


def make_inputs():
    return [((torch.linspace(-1, 1, 6),), {})]


class Holder(torch.nn.Module):
    def forward(self, *args):
        return scale(*args)
