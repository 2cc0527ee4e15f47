# flags: --unsafe-fixes
import torch


def never(x):
    x = torch.tanh(x)
    for i in range(0):
        torch._dynamo.graph_break()
        x = x + i
    return torch.relu(x)
