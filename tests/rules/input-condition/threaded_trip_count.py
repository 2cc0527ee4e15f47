# runs: make_callable make_inputs
import torch
from torch import nn


class Cell(nn.Module):
    def __init__(self, d=4):
        super().__init__()
        self.lin = nn.Linear(d, d)

    def forward(self, x, steps):
        for _ in range(int(steps.item())):
            x = torch.tanh(self.lin(x))
        return x


class Stack(nn.Module):
    def __init__(self):
        super().__init__()
        self.cells = nn.ModuleList([Cell(), Cell()])

    def forward(self, x, steps: torch.Tensor, order=None):
        for k, cell in enumerate(self.cells):
            x = cell(x, steps)
        if order is not None:
            x = self.cells[0](x, order)
        return x


def make_callable():
    torch.manual_seed(0)
    return Stack()


def make_inputs():
    torch.manual_seed(3)
    return [((torch.randn(3, 4), torch.tensor(2)), {}), ((torch.randn(3, 4), torch.tensor(3), torch.tensor(1)), {})]


# output
import torch
from torch import nn


class Cell(nn.Module):
    def __init__(self, d=4):
        super().__init__()
        self.lin = nn.Linear(d, d)

    def forward(self, x, steps, *, steps_value=None):
        for _ in range(steps_value if steps_value is not None else int(steps.item())):
            x = torch.tanh(self.lin(x))
        return x


class Stack(nn.Module):
    def __init__(self):
        super().__init__()
        self.cells = nn.ModuleList([Cell(), Cell()])

    @torch._dynamo.decorators.skip
    def forward(self, x, steps: torch.Tensor, order=None):
        steps_value = int(steps.item())
        return self._forward(x, steps, order, steps_value=steps_value)

    def _forward(self, x, steps: torch.Tensor, order, *, steps_value):
        for k, cell in enumerate(self.cells):
            x = cell(x, steps, steps_value=steps_value)
        if order is not None:
            x = self.cells[0](x, order)
        return x


def make_callable():
    torch.manual_seed(0)
    return Stack()


def make_inputs():
    torch.manual_seed(3)
    return [((torch.randn(3, 4), torch.tensor(2)), {}), ((torch.randn(3, 4), torch.tensor(3), torch.tensor(1)), {})]
