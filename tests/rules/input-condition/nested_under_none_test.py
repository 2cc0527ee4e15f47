import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x, index=None):
        h = self.fc(x)
        if index is not None:
            if index.max() > 1:
                h = h * 2
        return h


# output
import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    @torch._dynamo.decorators.skip
    def forward(self, x, index=None):
        return self._forward(x, index, index_max_above_1=bool(index is not None and index.max() > 1))

    def _forward(self, x, index, *, index_max_above_1):
        h = self.fc(x)
        if index is not None:
            if index_max_above_1:
                h = h * 2
        return h
