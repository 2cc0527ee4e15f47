# flags: --unsafe-fixes
# refuses: is read after an exception that ends the loop
import torch


def guarded(x, check):
    try:
        x = torch.tanh(x)
        for i in range(3):
            x = x + i
            torch._dynamo.graph_break()
            check(x)
    except ValueError:
        return x * i
    return torch.cos(x)
