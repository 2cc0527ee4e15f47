# refuses: `previous` may be unbound where a trip begins
import torch


def recur(x, n):
    x = torch.tanh(x)
    for i in range(n):
        torch._dynamo.graph_break()
        if i > 0:
            x = x + previous
        previous = torch.sin(x)
    return torch.relu(x)
