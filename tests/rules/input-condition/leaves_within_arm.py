# runs: make_model make_inputs
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x, grid=None, short=False):
        h = self.lin(x)
        if x.shape[0] > 3:
            h = h + 1
            if short:
                return h
            h = h[: int(grid[0, 1].item())]
        return h * 2


def make_model():
    torch.manual_seed(0)
    return Model()


def make_inputs():
    torch.manual_seed(1)
    grid = torch.tensor([[1, 3]])
    return [((torch.randn(6, 4), grid), {}), ((torch.randn(6, 4), None, True), {}), ((torch.randn(2, 4),), {})]


# output
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    @torch._dynamo.decorators.skip
    def forward(self, x, grid=None, short=False):
        return self._forward(
            x,
            grid,
            short,
            grid_value=int(grid[0, 1].item()) if x.shape[0] > 3 and not short else None,
        )

    def _forward(self, x, grid, short, *, grid_value):
        h = self.lin(x)
        if x.shape[0] > 3:
            h = h + 1
            if short:
                return h
            h = h[: grid_value]
        return h * 2


def make_model():
    torch.manual_seed(0)
    return Model()


def make_inputs():
    torch.manual_seed(1)
    grid = torch.tensor([[1, 3]])
    return [((torch.randn(6, 4), grid), {}), ((torch.randn(6, 4), None, True), {}), ((torch.randn(2, 4),), {})]
