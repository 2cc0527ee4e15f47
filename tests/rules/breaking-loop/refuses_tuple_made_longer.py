# refuses: `states` grows with each trip
import torch


def encode(x, n):
    states = ()
    x = torch.tanh(x)
    for i in range(n):
        torch._dynamo.graph_break()
        x = torch.sin(x) + len(states)
        states = states + (x * i,)
    return torch.stack(states).sum(0) + x
