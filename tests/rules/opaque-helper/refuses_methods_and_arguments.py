# refuses: `record` is a method
# refuses: nothing tells the type of `['a']`
import torch
from torch import nn

rows = []


def note(values, names=()):
    rows.append([float(v) for v in values])


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = []

    def record(self, x):
        self.seen.append(float(x.mean()))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x.relu()
        self.record(y)
        note(y, names=["a"])
        return y
