# runs: make_recurrent make_inputs
import torch
from torch import nn


class Recurrent(nn.Module):
    def __init__(self, width=3):
        super().__init__()
        self.into = nn.Linear(width, width)
        self.on = nn.Linear(width, width, bias=False)

    def forward(self, x):
        batch, steps, width = x.shape
        state = x.new_zeros(batch, width)
        states = []
        for t in range(steps):
            # Older steps fade.
            state = torch.tanh(self.into(x[:, t]) + self.on(state)) * 0.5
            states.append(state)
        return torch.stack(states, dim=1), state


def make_recurrent():
    torch.manual_seed(0)
    return Recurrent().requires_grad_(False)


def make_inputs():
    return [((torch.linspace(-1, 1, 2 * n * 3).view(2, n, 3),), {}) for n in (3, 5, 4, 6, 7)]


# output
import torch
from torch import nn


class Recurrent(nn.Module):
    def __init__(self, width=3):
        super().__init__()
        self.into = nn.Linear(width, width)
        self.on = nn.Linear(width, width, bias=False)

    # Unrolled, its loop would be compiled for each length: it runs in Python, and its parts are compiled.
    @torch._dynamo.decorators.skip
    def forward(self, x):
        batch, steps, width = x.shape
        state = x.new_zeros(batch, width)
        states = []
        for t in range(steps):
            # Older steps fade.
            state = self._loop_step(state, x[:, t])
            states.append(state)
        return torch.stack(states, dim=1), state

    def _loop_step(self, state, x_t):
        return torch.tanh(self.into(x_t) + self.on(state)) * 0.5


def make_recurrent():
    torch.manual_seed(0)
    return Recurrent().requires_grad_(False)


def make_inputs():
    return [((torch.linspace(-1, 1, 2 * n * 3).view(2, n, 3),), {}) for n in (3, 5, 4, 6, 7)]
