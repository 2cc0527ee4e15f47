# refuses: logits and labels are not both what the same mask selects
import torch
import torch.nn.functional as F
from torch import nn


def f(logits: torch.Tensor, labels: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    a = F.cross_entropy(logits[mask], labels[~mask])
    b = F.cross_entropy(logits[mask], labels[mask], reduction="none")
    c = F.nll_loss(logits[mask], labels[mask])
    return a, b, c
