# runs: make_callable make_inputs
import torch
from torch import nn


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.temperature = nn.Parameter(torch.full((), 2.0))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        peak = x.abs().max().item()  # of all elements
        x = x / peak
        h = self.lin(x)
        h = h / self.temperature.item()
        h -= h.mean().item()
        low = float(h.min())
        h = torch.where(h > low, h, h * 0)
        return h.clamp(min=torch.mean(h).item())


def make_callable():
    torch.manual_seed(0)
    return Scaled()


def make_inputs():
    x = torch.arange(8.0).reshape(2, 4)
    return [((x,), {}), ((x.requires_grad_(),), {}), ((x * float("nan"),), {})]


# output
import torch
from torch import nn


def _scalar(x):
    """`x.item()`, or while compiling `x` itself, which stays in the graph."""
    return x.detach() if torch.compiler.is_compiling() else x.item()


def _number(x):
    """`x.item()`, or while compiling a 0-d tensor in the graph that is as exact as a Python number."""
    if torch.compiler.is_compiling() and x.device.type != "mps":
        return x.detach().to(torch.float64 if x.is_floating_point() else torch.int64)
    return x.item()


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.temperature = nn.Parameter(torch.full((), 2.0))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        peak = _scalar(x.abs().max())  # of all elements
        x = x / peak
        h = self.lin(x)
        h = h / _number(self.temperature)
        h -= h.mean().detach()
        low = h.min().detach()
        h = torch.where(h > low, h, h * 0)
        return h.clamp(min=torch.mean(h).detach())


def make_callable():
    torch.manual_seed(0)
    return Scaled()


def make_inputs():
    x = torch.arange(8.0).reshape(2, 4)
    return [((x,), {}), ((x.requires_grad_(),), {}), ((x * float("nan"),), {})]
