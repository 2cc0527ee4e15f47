# refuses: `locals()` looks at its own frame
import torch


def debug(x, n, tell):
    x = torch.tanh(x)
    for i in range(n):
        torch._dynamo.graph_break()
        tell(locals())
        x = torch.sin(x) + i
    return torch.relu(x)
