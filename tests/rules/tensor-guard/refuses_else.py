# refuses: it has an `else`
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    if x.isnan().any():
        raise ValueError("holes")
    else:
        x = x + 1
    return x
