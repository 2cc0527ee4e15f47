# runs: make_callable make_inputs
import torch
from torch import nn


class Damped(nn.Module):
    def __init__(self, dim=4):
        super().__init__()
        self.mix = nn.Linear(dim, dim)

    def forward(self, x):
        update = torch.tanh(self.mix(x))
        loss = update.pow(2).mean()
        if loss > 0.3:  # damp it
            update = update * 0.5
        return x + update


def make_callable():
    torch.manual_seed(0)
    return Damped()


def make_inputs():
    g = torch.Generator().manual_seed(0)
    return [((torch.randn(3, 4, generator=g) * s,), {}) for s in (0.1, 9.0)]


# output
import torch
from torch import nn


def _where(pred, true_fn, false_fn, operands=()):
    """`torch.where` over both arms while compiling, a plain branch otherwise."""
    if torch.compiler.is_compiling():
        return torch.where(pred, true_fn(*operands), false_fn(*operands))
    return true_fn(*operands) if pred else false_fn(*operands)


class Damped(nn.Module):
    def __init__(self, dim=4):
        super().__init__()
        self.mix = nn.Linear(dim, dim)

    def forward(self, x):
        update = torch.tanh(self.mix(x))
        loss = update.pow(2).mean()
        # damp it
        update = _where(loss > 0.3, lambda update: update * 0.5, lambda update: update, (update,))
        return x + update


def make_callable():
    torch.manual_seed(0)
    return Damped()


def make_inputs():
    g = torch.Generator().manual_seed(0)
    return [((torch.randn(3, 4, generator=g) * s,), {}) for s in (0.1, 9.0)]
