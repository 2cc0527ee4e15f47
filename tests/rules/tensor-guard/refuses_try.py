# refuses: a `try` statement around it
import torch


def guarded(x: torch.Tensor) -> torch.Tensor:
    try:
        if x.isnan().any():
            raise ValueError("holes")
    except ValueError:
        x = torch.zeros_like(x)
    return x
