# flags: --unsafe-fixes
# refuses: several statements share a line in it
import torch


def scale(x):
    x = torch.tanh(x)
    for i in range(2): x = x + i; torch._dynamo.graph_break()
    return torch.relu(x)
