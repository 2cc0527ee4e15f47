import torch
from torch.nn import Linear, Module, ModuleList


def chosen(layers, rate):
    drop = torch.zeros(len(layers)).uniform_(0.0, 1.0) < rate
    return [layer for layer, out in zip(layers, drop) if not out]


class Stack(Module):
    def __init__(self):
        super().__init__()
        self.layers = ModuleList([ModuleList([Linear(4, 4), Linear(4, 4)]) for _ in range(3)])

    def forward(self, x):
        layers = chosen(self.layers, 0.1)
        for first, second in layers:
            x = first(x) + x
            x = second(x) + x
        return x


class Model(Module):
    def __init__(self):
        super().__init__()
        self.head = Linear(4, 4)
        self.stack = Stack()
        self.tail = Stack()

    def forward(self, x):
        x = self.head(x)
        x = self.stack(x)
        x = self.tail(x)
        return torch.relu(x)

# output
import torch
from torch.nn import Linear, Module, ModuleList


@torch.compiler.disable
def _chosen_on_host(layers, drop):
    return [layer for layer, out in zip(layers, drop) if not out]


def chosen(layers, rate):
    drop = torch.zeros(len(layers)).uniform_(0.0, 1.0) < rate
    return _chosen_on_host(layers, drop)


class Stack(Module):
    def __init__(self):
        super().__init__()
        self.layers = ModuleList([ModuleList([Linear(4, 4), Linear(4, 4)]) for _ in range(3)])

    def forward(self, x):
        layers = chosen(self.layers, 0.1)
        for first, second in layers:
            x = first(x) + x
            x = second(x) + x
        return x


class Model(Module):
    def __init__(self):
        super().__init__()
        self.head = Linear(4, 4)
        self.stack = Stack()
        self.tail = Stack()

    def forward(self, x):
        x = self.head(x)
        x = self.stack(x)
        x = self.tail(x)
        return torch.relu(x)
