import torch
from torch import nn


class Router(nn.Module):
    def forward(self, x, counts):
        return torch.stack([p.sum(0) for p in torch.split(x, counts.tolist())])


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(4, 2)
        self.router = Router()

    def forward(self, x):
        counts = self.gate(x).argmax(-1).bincount(minlength=2)
        return self.router(x, counts)
