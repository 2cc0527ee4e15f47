# refuses: its `break` would have to cross the border of a function
import torch


def search(x, limit):
    x = torch.tanh(x)
    for i in range(limit):
        x = x + i
        torch._dynamo.graph_break()
        if x.shape[0] > 4 + i:
            break
    return torch.relu(x)
