# refuses: not unrolled: its `break` stands in a `try` statement
import torch


def search(x, sink):
    x = torch.tanh(x)
    for i in range(3):
        x = x + i
        torch._dynamo.graph_break()
        try:
            sink.take(x)
            break
        except ValueError:
            x = x - 1
    return torch.relu(x)
