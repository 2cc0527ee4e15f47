# refuses: is saved with the module, so that a checkpoint may load another number into it
# flags: --unsafe-fixes
import torch
from torch import nn


class Window(nn.Module):
    def __init__(self, width: int, step=1):
        super().__init__()
        self.width = nn.Buffer(torch.tensor(width))
        self.half = self.width // 2
        self.step = torch.tensor(step + 1, dtype=torch.long)
        self.proj = nn.Linear(4, 4)

    def forward(self, x):
        x = self.proj(x)
        for _ in range(self.step):
            x = self.proj(x).relu()
        if x.shape[1] > self.width:
            x = x[:, : self.half] * self.half
        return x.narrow(1, 0, self.step.item())


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = Window(8)
        self.second = Window(6)

    def forward(self, x):
        return self.second(self.first(x)) + self.first(x)


def make_callable():
    torch.manual_seed(0)
    return Model()


def make_inputs():
    return [((torch.randn(2, 5, 4),), {}), ((torch.randn(2, 3, 4),), {})]


# output
import torch
from torch import nn


def _traced(tensor, number):
    """While compiling the int that a tensor holds, where that is known; the tensor otherwise."""
    return number if torch.compiler.is_compiling() and type(number) is int else tensor


class Window(nn.Module):
    def __init__(self, width: int, step=1):
        super().__init__()
        self.width = nn.Buffer(torch.tensor(width))
        self._width_int = width
        self.half = self.width // 2
        self._half_int = self._width_int // 2
        self.step = torch.tensor(step + 1, dtype=torch.long)
        self._step_int = step + 1
        self.proj = nn.Linear(4, 4)

    def forward(self, x):
        x = self.proj(x)
        for _ in range(_traced(self.step, self._step_int)):
            x = self.proj(x).relu()
        if x.shape[1] > self.width:
            x = x[:, : _traced(self.half, self._half_int)] * self.half
        return x.narrow(1, 0, int(_traced(self.step, self._step_int)))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = Window(8)
        self.second = Window(6)

    def forward(self, x):
        return self.second(self.first(x)) + self.first(x)


def make_callable():
    torch.manual_seed(0)
    return Model()


def make_inputs():
    return [((torch.randn(2, 5, 4),), {}), ((torch.randn(2, 3, 4),), {})]
