# flags: --unsafe-fixes
import torch
from torch import nn


class Window(nn.Module):
    def __init__(self, width: int, step=1):
        super().__init__()
        self.width = nn.Buffer(torch.tensor(width), persistent=False)
        self.half = self.width // 2
        self.step = torch.tensor(step + 1, dtype=torch.long)
        self.proj = nn.Linear(4, 4)

    def forward(self, x):
        x = self.proj(x)
        return x[:, : self.step], self.step


# output
import torch
from torch import nn


def _traced(tensor, number):
    """While compiling the int that a tensor holds, where that is known; the tensor otherwise."""
    return number if torch.compiler.is_compiling() and type(number) is int else tensor


class Window(nn.Module):
    def __init__(self, width: int, step=1):
        super().__init__()
        self.width = nn.Buffer(torch.tensor(width), persistent=False)
        self.half = self.width // 2
        self.step = torch.tensor(step + 1, dtype=torch.long)
        self._step_int = step + 1
        self.proj = nn.Linear(4, 4)

    def forward(self, x):
        x = self.proj(x)
        return x[:, : _traced(self.step, self._step_int)], self.step
