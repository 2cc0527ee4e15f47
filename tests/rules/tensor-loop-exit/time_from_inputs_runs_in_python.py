# runs: make_decay make_inputs
import torch
from torch import nn


class Decay(nn.Module):
    def __init__(self):
        super().__init__()
        self.rate = nn.Linear(4, 4)

    def forward(self, x, start, step=0.25):
        time = torch.tensor(1.0) * start
        while time > 0:
            x = x - step * self.rate(x).tanh()
            time = time - step
        return x


def make_decay():
    torch.manual_seed(0)
    return Decay()


def make_inputs():
    x = torch.linspace(-1, 1, 8).view(2, 4)
    return [((x, torch.tensor(1.0)), {}), ((x, torch.tensor(0.5)), {}), ((x, torch.tensor(-1.0)), {})]


# output
import torch
from torch import nn


class Decay(nn.Module):
    def __init__(self):
        super().__init__()
        self.rate = nn.Linear(4, 4)

    # A break in a loop would have Dynamo skip this function: it runs in Python, and its parts are compiled.
    @torch._dynamo.decorators.skip
    def forward(self, x, start, step=0.25):
        time = self._loop_start(start)
        while time > 0:
            x, time = self._loop_step(x, time, step)
        return x

    def _loop_start(self, start):
        return torch.tensor(1.0) * start

    def _loop_step(self, x, time, step):
        x = x - step * self.rate(x).tanh()
        time = time - step
        return x, time


def make_decay():
    torch.manual_seed(0)
    return Decay()


def make_inputs():
    x = torch.linspace(-1, 1, 8).view(2, 4)
    return [((x, torch.tensor(1.0)), {}), ((x, torch.tensor(0.5)), {}), ((x, torch.tensor(-1.0)), {})]
