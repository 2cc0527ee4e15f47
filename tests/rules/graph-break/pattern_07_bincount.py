# refuses: a value that is not below `minlength` makes the result longer
import torch


def confusion(preds: torch.Tensor, target: torch.Tensor, n: int):
    return torch.bincount(preds.argmax(-1) * n + target, minlength=n * n).reshape(n, n)
