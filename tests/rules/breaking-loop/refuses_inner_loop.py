# refuses: the loop inside it on line 6 breaks as well
import torch


def search(x, n):
    for i in range(n):
        for j in range(n):
            torch._dynamo.graph_break()
            x = torch.sin(x) + j
            if x.shape[0] > 4 + i:
                break
        x = torch.cos(x)
    return torch.relu(x)


class Holder(torch.nn.Module):
    def forward(self, *args):
        return search(*args)
