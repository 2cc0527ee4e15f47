# runs: make_callable make_inputs
import torch


class Clip:
    def __init__(self):
        self.limit = 2.0

    def clip(self, x: torch.Tensor, w: torch.Tensor):
        y = x * w
        over = y.abs() > 2.0
        if over.sum().item() > 0:
            y = torch.where(over, torch.zeros_like(y), y)
        if (y < -1).any() or (y == 0).any():
            y[y == 0] = 1
            y[y < -1] = -1.0
        return y


def make_callable():
    return Clip().clip


def make_inputs():
    rows = [[0.5, 0.1, -0.4], [3.0, 0.5, -1.5], [0.2, 0.3, -5.0]]
    return [((torch.tensor(row), torch.ones(3)), {}) for row in rows]


# output
import torch


class Clip:
    def __init__(self):
        self.limit = 2.0

    def clip(self, x: torch.Tensor, w: torch.Tensor):
        y = x * w
        over = y.abs() > 2.0
        if torch.compiler.is_compiling() or over.sum().item() > 0:
            y = torch.where(over, torch.zeros_like(y), y)
        if torch.compiler.is_compiling() or (y < -1).any() or (y == 0).any():
            y[y == 0] = 1
            y[y < -1] = -1.0
        return y


def make_callable():
    return Clip().clip


def make_inputs():
    rows = [[0.5, 0.1, -0.4], [3.0, 0.5, -1.5], [0.2, 0.3, -5.0]]
    return [((torch.tensor(row), torch.ones(3)), {}) for row in rows]
