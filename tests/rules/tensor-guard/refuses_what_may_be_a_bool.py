# refuses: may be a Python bool
import torch


def f(x: torch.Tensor, flag) -> torch.Tensor:
    y = flag * 1
    if flag:
        raise ValueError("flagged")
    return x * flag.logical_not()
