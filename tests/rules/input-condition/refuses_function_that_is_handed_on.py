# refuses: `pooled` on line 20 may call it out of sight, on the way `pooled`
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


def pooled(x, counts):
    return torch.stack([p.sum(0) for p in torch.split(x, counts.tolist())])


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x, counts: torch.Tensor):
        x = self.lin(x)
        y = pooled(x, counts)
        if not self.training:
            return y
        return y + checkpoint(pooled, x, counts, use_reentrant=False)
