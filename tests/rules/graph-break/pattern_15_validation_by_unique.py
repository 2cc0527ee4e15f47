# refuses: the size of its result depends on the values
import torch
from torch import nn


def validate(target):
    found = torch.unique(target)
    if found.numel() > 2:
        raise RuntimeError(f"expected two classes, found {found}")


class Metric(nn.Module):
    def forward(self, preds, target: torch.Tensor):
        target = target.long()
        validate(target)
        return (preds - target).abs().sum()
