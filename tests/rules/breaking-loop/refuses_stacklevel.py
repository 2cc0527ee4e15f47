# refuses: a message names the place of its caller
import warnings

import torch


def noisy(x, n):
    x = torch.tanh(x)
    for i in range(n):
        torch._dynamo.graph_break()
        warnings.warn("slow", UserWarning, stacklevel=2)
        x = torch.sin(x) + i
    return torch.relu(x)
