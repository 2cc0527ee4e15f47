# runs: make_callable make_inputs
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def encode(self, x, grid=None, whole=False):
        h = self.lin(x)
        if grid is None:
            return h.mean(0)
        if not whole:
            rows = h[: int(grid[0, 1].item())]
            return rows.mean(0)
        return h.sum(0)

    def forward(self, x, grid: torch.Tensor | None = None, whole: bool = False):
        return self.encode(x * 2, grid, whole) + 1


def make_callable():
    torch.manual_seed(0)
    return Model()


def make_inputs():
    torch.manual_seed(1)
    x = torch.randn(6, 4)
    grid = torch.tensor([[1, 3]])
    return [((x, grid), {}), ((x,), {}), ((x, grid, True), {})]


# output
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def encode(self, x, grid=None, whole=False, *, grid_value=None):
        h = self.lin(x)
        if grid is None:
            return h.mean(0)
        if not whole:
            rows = h[: (grid_value if grid_value is not None else int(grid[0, 1].item()))]
            return rows.mean(0)
        return h.sum(0)

    @torch._dynamo.decorators.skip
    def forward(self, x, grid: torch.Tensor | None = None, whole: bool = False):
        grid_value = int(grid[0, 1].item()) if grid is not None and not whole else None
        return self._forward(x, grid, whole, grid_value=grid_value)

    def _forward(self, x, grid: torch.Tensor | None, whole: bool, *, grid_value):
        return self.encode(x * 2, grid, whole, grid_value=grid_value) + 1


def make_callable():
    torch.manual_seed(0)
    return Model()


def make_inputs():
    torch.manual_seed(1)
    x = torch.randn(6, 4)
    grid = torch.tensor([[1, 3]])
    return [((x, grid), {}), ((x,), {}), ((x, grid, True), {})]
