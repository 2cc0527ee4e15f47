# flags: --unsafe-fixes
# refuses: `self.best` may become the argument `loss`, of which a graph would keep a copy
import torch
from torch import nn


class Best(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.best = torch.tensor(9.0)

    def forward(self, x, loss):
        h = self.lin(x)
        level = h.mean().detach()
        if level > 0:
            self.best = loss.detach()
        return h
