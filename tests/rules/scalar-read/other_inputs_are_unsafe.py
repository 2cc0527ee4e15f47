# refuses: the fix changes something a caller can see, or rests on an assumption
import torch


def cut(dist: torch.Tensor, cutoff: torch.Tensor) -> torch.Tensor:
    d = dist.softmax(-1)
    n, k = d.shape
    c = cutoff.tanh()
    c = c + c.relu()
    return d * c.sum().item() + c.sum()
