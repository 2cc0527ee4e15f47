import random

import torch
from helpers import jitter
from torch import nn


class InLoop(nn.Module):
    def __init__(self, dim=4):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(dim, dim) for _ in range(2))

    def forward(self, x):
        for layer in self.layers:
            if random.random() < 0.5:
                x = layer(x)
        scale = random.random()
        return x * scale


class Unknown(nn.Module):
    def forward(self, x):
        x = jitter(x)
        return x * random.random()


class OfValues(nn.Module):
    def forward(self, x):
        y = x * 2
        if y.sum() > 0:
            y = y * random.random()
        return y * random.random()


class Seeded(nn.Module):
    def forward(self, x):
        random.seed(3)
        return x * random.random()
