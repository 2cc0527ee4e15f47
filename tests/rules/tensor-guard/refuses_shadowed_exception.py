# refuses: nothing tells what `ValueError` is
import torch


def f(x: torch.Tensor, ValueError) -> torch.Tensor:
    if x.isnan().any():
        raise ValueError("holes")
    return x
