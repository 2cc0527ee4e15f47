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


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.temperature = nn.Parameter(torch.full((), 2.0))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        peak = x.abs().max().detach()  # of all elements
        x = x / peak
        h = self.lin(x)
        h = h / self.temperature.detach()
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
