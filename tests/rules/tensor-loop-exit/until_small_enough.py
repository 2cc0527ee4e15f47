# runs: make_relaxation make_inputs
import torch
from torch import nn


class Relaxation(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("weight", torch.linspace(-0.25, 0.25, 16).view(4, 4))

    def forward(self, x, limit=0.75):
        rounds = 0
        while x.abs().max() > limit:
            x = (x @ self.weight).tanh() * 0.75
            rounds += 1
        return x, rounds


def make_relaxation():
    torch.manual_seed(0)
    return Relaxation()


def make_inputs():
    x = torch.linspace(-1, 1, 8).view(2, 4)
    return [((x,), {}), ((x * 8,), {}), ((x * 0,), {})]


# output
import torch
from torch import nn


class Relaxation(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("weight", torch.linspace(-0.25, 0.25, 16).view(4, 4))

    # A break in a loop would have Dynamo skip this function: it runs in Python, and its parts are compiled.
    @torch._dynamo.decorators.skip
    def forward(self, x, limit=0.75):
        rounds = 0
        while self._loop_test(x, limit):
            x = self._loop_step(x)
            rounds += 1
        return x, rounds

    def _loop_test(self, x, limit):
        return x.abs().max() > limit

    def _loop_step(self, x):
        return (x @ self.weight).tanh() * 0.75


def make_relaxation():
    torch.manual_seed(0)
    return Relaxation()


def make_inputs():
    x = torch.linspace(-1, 1, 8).view(2, 4)
    return [((x,), {}), ((x * 8,), {}), ((x * 0,), {})]
