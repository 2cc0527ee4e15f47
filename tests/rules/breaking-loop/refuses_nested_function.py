# refuses: it stands in a nested function
import torch


def make(n):
    @torch.compile
    def run(x):
        x = torch.tanh(x)
        for i in range(n):
            torch._dynamo.graph_break()
            x = torch.sin(x) + i
        return torch.relu(x)

    return run
