# refuses: rests on an assumption
import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        x = x.tanh()
        for i in range(2):
            x = x * (i + 2)
            torch._dynamo.graph_break()
            x = x + 1
        return x.relu()
