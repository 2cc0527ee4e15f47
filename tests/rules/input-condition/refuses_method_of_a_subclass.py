# refuses: `self.encode(…)` on line 10 may run another function, on the way `Model.forward` → `Model.encode`
import torch
from torch import nn


class Model(nn.Module):
    def encode(self, x, counts):
        return torch.stack([p.sum(0) for p in torch.split(x, counts.tolist())])

    def forward(self, x, counts):
        return self.encode(x * 2, counts)


class Doubled(Model):
    def encode(self, x, counts):
        return x * counts.sum()
