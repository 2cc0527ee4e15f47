# refuses: Python's random numbers are drawn outside of any graph
from random import random

import torch
from torch import nn


class Stack(nn.Module):
    def __init__(self, layers, p):
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.p = p

    def forward(self, x):
        for layer in self.layers:
            if self.training and random() < self.p:
                continue
            x = layer(x)
        return x
