# refuses: `y` is unbound where the loop runs no time
import torch


def last(x, n):
    x = torch.tanh(x)
    for i in range(n):
        torch._dynamo.graph_break()
        y = x * i
    return torch.relu(y)
