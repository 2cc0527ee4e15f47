# refuses: the size of its result depends on the values
import torch


def pairs(labels: torch.Tensor):
    same = labels[:, None] == labels[None]
    a, p = torch.where(same)
    return a, p


def loss(x: torch.Tensor, labels: torch.Tensor):
    a, p = pairs(labels)
    return (x[a] - x[p]).square().mean()
