# refuses: there is nothing between the breaks that could be captured
import torch


def places(x):
    x = torch.sin(x)
    return [torch.nonzero(row) for row in x]
