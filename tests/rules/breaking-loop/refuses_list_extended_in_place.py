# refuses: `states` grows with each trip
import torch


def encode(x, n):
    states = []
    x = torch.tanh(x)
    for i in range(n):
        for state in states:
            x = x - state
        states += [x * i]
        torch._dynamo.graph_break()
        x = torch.sin(x)
    return torch.stack(states).sum(0) + x
