import torch
from torch import nn


class Twice:
    def __init__(self, items):
        self.items = items

    def __iter__(self):
        for item in self.items:
            yield item
            yield item


class Refiner(nn.Module):
    def forward(self, x, n: int):
        for i in Twice(range(n)):
            x = x.tanh() * i + 1
        return x
