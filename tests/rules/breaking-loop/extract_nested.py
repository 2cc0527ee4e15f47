# flags: --unsafe-fixes
# runs: Sweep make_inputs
import torch
from torch import nn


class Sweep(nn.Module):
    def forward(self, x, outer: int, inner: int):
        x = x.tanh()
        for i in range(outer):
            x = x * 0.5
            for j in range(inner):
                x = x + j
                torch._dynamo.graph_break()
                x = torch.sin(x)
            x = x - i
        return x.relu()


def make_inputs():
    return [((torch.linspace(-1, 1, 6), 3, 3), {}), ((torch.linspace(-2, 2, 6), 3, 3), {})]


class Holder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.held = Sweep()

    def forward(self, *args):
        return self.held(*args)


# output
import torch
from torch import nn


class Sweep(nn.Module):
    def forward(self, x, outer: int, inner: int):
        x = x.tanh()
        x = self._run_loop_2(x, outer, inner)
        return x.relu()

    def _run_loop_2(self, x, outer: int, inner: int):
        # Dynamo skips a function with a graph break in a loop, so the loop and its body are functions of their own.
        for i in range(outer):
            x = self._loop_step_2(x, inner, i)
        return x

    def _loop_step_2(self, x, inner: int, i):
        x = x * 0.5
        x = self._run_loop(x, inner)
        x = x - i
        return x

    def _run_loop(self, x, inner: int):
        # Dynamo skips a function with a graph break in a loop, so the loop and its body are functions of their own.
        for j in range(inner):
            x = self._loop_step(x, j)
        return x

    def _loop_step(self, x, j):
        x = x + j
        torch._dynamo.graph_break()
        x = torch.sin(x)
        return x


def make_inputs():
    return [((torch.linspace(-1, 1, 6), 3, 3), {}), ((torch.linspace(-2, 2, 6), 3, 3), {})]


class Holder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.held = Sweep()

    def forward(self, *args):
        return self.held(*args)
