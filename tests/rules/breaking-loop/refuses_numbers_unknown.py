# flags: --unsafe-fixes
# refuses: its body has a `return`
import torch

DEPTHS = [1, 2]


def scale(x):
    x = torch.tanh(x)
    for depth in DEPTHS:
        x = x + depth
        torch._dynamo.graph_break()
        if x.shape[0] == depth:
            return x
    return torch.relu(x)
