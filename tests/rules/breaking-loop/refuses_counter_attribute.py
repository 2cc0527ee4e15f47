# refuses: `self.calls` changes with each trip
import torch
from torch import nn


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        x = x.tanh()
        for i in range(3):
            self.calls += 1
            torch._dynamo.graph_break()
            x = x + self.calls * i
        return x.relu()
