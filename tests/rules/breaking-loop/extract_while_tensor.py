# flags: --unsafe-fixes
# runs: make_callable make_inputs
import torch


def grow(x):
    x = torch.sin(x)
    while x.sum() < 10:
        # Each turn adds less.
        x = x * 0.5
        x = x + 1
    return torch.cos(x)


def make_callable():
    return grow


def make_inputs():
    return [((torch.linspace(-1, 1, 6),), {}), ((torch.linspace(-2, 20, 12),), {})]


# output
import torch


def _run_grow(x):
    # Dynamo skips a function with a graph break in a loop, so the loop and its body are functions of their own.
    while x.sum() < 10:
        x = _grow_step(x)
    return x


def _grow_step(x):
    # Each turn adds less.
    x = x * 0.5
    x = x + 1
    return x


def grow(x):
    x = torch.sin(x)
    x = _run_grow(x)
    return torch.cos(x)


def make_callable():
    return grow


def make_inputs():
    return [((torch.linspace(-1, 1, 6),), {}), ((torch.linspace(-2, 20, 12),), {})]
