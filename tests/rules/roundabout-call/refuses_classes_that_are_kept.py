# refuses: more classes are made than are taken
import torch
import torch.nn.functional as F


def dispatch(i: torch.Tensor, j: torch.Tensor, n: int):
    a = F.one_hot(i, max(i.max() + 1, n))
    b = F.one_hot(i, max(j.max() + 1, n))[..., :n]
    c = F.one_hot(i, max(i.max(), n))[..., :n]
    return a, b, c, F.one_hot(i, n)
