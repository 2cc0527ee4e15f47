# refuses: `h` is kept on line 12, of which a graph would give a copy as the result
# refuses: `h` is given to `seen.append` on line 20, of which a graph would give a copy: `h` is returned on line 23
import torch
from torch import nn


class Cached(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        h = self.lin(x)
        self.last = h
        if h.sum() > 2:
            return h * 2
        return h


def gathered(x, seen):
    h = torch.exp(x)
    seen.append(h)
    if h.sum() > 2:
        h = h * 3
    return h
