# refuses: `name` is another string or number of a layer in each trip
import torch
from torch import nn


class Fuse(nn.Module):
    def forward(self, x, parts):
        x = x.tanh()
        for name, part in parts.items():
            x = x + part * len(name)
            torch._dynamo.graph_break()
            x = torch.sin(x)
        return x.relu()
