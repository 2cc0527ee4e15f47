# refuses: `x` is shared with a nested function, or global
import torch


def hooked(x, n, register):
    x = torch.tanh(x)
    register(lambda: x)
    for i in range(n):
        torch._dynamo.graph_break()
        x = torch.sin(x) + i
    return torch.relu(x)
