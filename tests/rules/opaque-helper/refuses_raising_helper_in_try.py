# refuses: a `try` statement around it
import torch


def check(x):
    if float(x.sum()) > 3:
        raise ValueError(f"{float(x.sum())}")


def f(x: torch.Tensor) -> torch.Tensor:
    y = torch.relu(x)
    try:
        check(y)
    except ValueError:
        y = y * 0
    return y
