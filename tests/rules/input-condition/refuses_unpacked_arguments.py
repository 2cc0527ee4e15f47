# refuses: unpacks its arguments, on the way `Model.forward` → `Model.encode`
import torch
from torch import nn


class Model(nn.Module):
    def encode(self, x, counts):
        return torch.stack([p.sum(0) for p in torch.split(x, counts.tolist())])

    def forward(self, x, **options):
        return self.encode(x * 2, **options)
