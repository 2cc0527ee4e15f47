# flags: --max-unrolled-lines=5
# refuses: it would be 6 lines long (max-unrolled-lines is 5)
import torch


def search(x):
    x = torch.tanh(x)
    for i in range(2):
        x = x + i
        torch._dynamo.graph_break()
        return x
    return torch.relu(x)
