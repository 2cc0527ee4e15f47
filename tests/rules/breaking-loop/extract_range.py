# flags: --unsafe-fixes
# runs: Denoise make_inputs
import torch
from torch import nn


class Denoise(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor, steps: int = 12):
        x = x.tanh()
        scale = x.abs().mean()
        # The schedule is linear.
        for i in range(steps):  # noise goes down
            # Look at the noise first.
            noise = self.net(x) * scale
            torch._dynamo.graph_break()
            x = x - noise / (i + 1)  # Euler
        return x.relu()


def make_inputs():
    x = torch.linspace(-1, 1, 8).view(2, 4)
    return [((x, 12), {}), ((x + 1, 12), {})]


class Holder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.held = Denoise()

    def forward(self, *args):
        return self.held(*args)


# output
import torch
from torch import nn


class Denoise(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor, steps: int = 12):
        x = x.tanh()
        scale = x.abs().mean()
        # The schedule is linear.
        x = self._run_loop(x, steps, scale)
        return x.relu()

    def _run_loop(self, x: torch.Tensor, steps: int, scale):
        # Dynamo skips a function with a graph break in a loop, so the loop and its body are functions of their own.
        for i in range(steps):  # noise goes down
            x = self._loop_step(x, scale, i)
        return x

    def _loop_step(self, x: torch.Tensor, scale, i):
        # Look at the noise first.
        noise = self.net(x) * scale
        torch._dynamo.graph_break()
        x = x - noise / (i + 1)  # Euler
        return x


def make_inputs():
    x = torch.linspace(-1, 1, 8).view(2, 4)
    return [((x, 12), {}), ((x + 1, 12), {})]


class Holder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.held = Denoise()

    def forward(self, *args):
        return self.held(*args)
