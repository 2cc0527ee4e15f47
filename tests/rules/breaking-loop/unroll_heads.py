# flags: --unsafe-fixes
# runs: Heads make_inputs
import torch
from torch import nn


class Heads(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(4, 4)
        self.skip = nn.Linear(4, 4)

    def forward(self, x):
        x = x.tanh()
        for head in (self.gate, self.skip):
            x = x + head(x)
            torch._dynamo.graph_break()
        for head, scale in zip([self.skip, self.gate], reversed((1.0, 0.5))):
            x = x * head.weight.mean() + head(x) * scale - head.bias.mean()
            torch._dynamo.graph_break()
        return x.relu()


def make_inputs():
    return [((torch.linspace(-1, 1, 8).view(2, 4),), {})]


class Holder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.held = Heads()

    def forward(self, *args):
        return self.held(*args)


# output
import torch
from torch import nn


class Heads(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(4, 4)
        self.skip = nn.Linear(4, 4)

    def forward(self, x):
        x = x.tanh()
        x = x + self.gate(x)
        torch._dynamo.graph_break()
        x = x + self.skip(x)
        torch._dynamo.graph_break()
        head = self.skip
        x = x * head.weight.mean() + head(x) * 0.5 - head.bias.mean()
        torch._dynamo.graph_break()
        head = self.gate
        x = x * head.weight.mean() + head(x) * 1.0 - head.bias.mean()
        torch._dynamo.graph_break()
        return x.relu()


def make_inputs():
    return [((torch.linspace(-1, 1, 8).view(2, 4),), {})]


class Holder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.held = Heads()

    def forward(self, *args):
        return self.held(*args)
