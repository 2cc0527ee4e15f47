# refuses: a `try` statement around it
import torch


def check(x: torch.Tensor) -> None:
    if x.isnan().any():
        raise ValueError("holes")


def clean(x: torch.Tensor) -> torch.Tensor:
    try:
        check(x)
    except ValueError:
        return torch.zeros_like(x)
    return x * 2
