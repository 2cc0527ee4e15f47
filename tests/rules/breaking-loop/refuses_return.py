# refuses: its body has a `return`
import torch


def search(x, limit):
    x = torch.tanh(x)
    for i in range(limit):
        x = x + i
        torch._dynamo.graph_break()
        if x.shape[0] > 4:
            return x
    return torch.relu(x)
