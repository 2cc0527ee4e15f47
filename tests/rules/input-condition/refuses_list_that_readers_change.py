# refuses: several readers would share it, on the way `Model.forward` → `Pieces.forward`
import torch
from torch import nn


class Pieces(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x, counts):
        sizes = counts.tolist()
        sizes.append(x.shape[0] - sum(sizes))
        return torch.cat([p - p.mean(0) for p in torch.split(self.lin(x), sizes)])


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([Pieces(), Pieces()])

    def forward(self, x, counts: torch.Tensor):
        for layer in self.layers:
            x = layer(x, counts)
        return x
