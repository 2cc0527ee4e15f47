# runs: make_sampler make_inputs
import torch
from torch import nn


class Sampler(nn.Module):
    def __init__(self, steps=4, end=0.0):
        super().__init__()
        self.steps = steps
        self.end = end
        self.velocity = nn.Linear(5, 4)

    def forward(self, x):
        dt = torch.tensor(-1.0 / self.steps, dtype=torch.float32)
        time = torch.tensor(1.0)
        # Half a step of leave, as sums of floats are not exact.
        while time >= self.end - dt / 2:
            t = time.expand(x.shape[0], 1)
            x = x + dt * self.velocity(torch.cat([x, t], dim=1))
            time += dt
        return x


def make_sampler():
    torch.manual_seed(0)
    return Sampler()


def make_inputs():
    x = torch.linspace(-1, 1, 8).view(2, 4)
    return [((x,), {}), ((x * 2,), {})]


# output
import torch
from torch import nn


@torch.compiler.assume_constant_result
def _forward_trips(end, steps):
    """The trips of the loop in `forward`, counted while tracing."""
    dt = torch.tensor(-1.0 / steps, dtype=torch.float32)
    time = torch.tensor(1.0)
    count = 0
    while time >= end - dt / 2:
        count += 1
        time += dt
    return range(count)


class Sampler(nn.Module):
    def __init__(self, steps=4, end=0.0):
        super().__init__()
        self.steps = steps
        self.end = end
        self.velocity = nn.Linear(5, 4)

    def forward(self, x):
        dt = torch.tensor(-1.0 / self.steps, dtype=torch.float32)
        time = torch.tensor(1.0)
        # Half a step of leave, as sums of floats are not exact.
        trips_left = len(_forward_trips(self.end, self.steps)) if torch.compiler.is_compiling() else None
        while time >= self.end - dt / 2 if trips_left is None else (trips_left := trips_left - 1) >= 0:
            t = time.expand(x.shape[0], 1)
            x = x + dt * self.velocity(torch.cat([x, t], dim=1))
            time += dt
        return x


def make_sampler():
    torch.manual_seed(0)
    return Sampler()


def make_inputs():
    x = torch.linspace(-1, 1, 8).view(2, 4)
    return [((x,), {}), ((x * 2,), {})]
