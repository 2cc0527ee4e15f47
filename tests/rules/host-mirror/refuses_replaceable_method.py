# refuses: nothing tells what `self.points` runs
import torch
from torch import nn


class Model(nn.Module):
    def points(self, shapes):
        return [torch.ones(h, w) for h, w in shapes]

    def forward(self, x):
        shapes = torch.tensor([(x.shape[0], 2), (3, 4)])
        return [x[0, 0] * p for p in self.points(shapes)]


class Other(Model):
    def points(self, shapes):
        return [torch.zeros(2)]
