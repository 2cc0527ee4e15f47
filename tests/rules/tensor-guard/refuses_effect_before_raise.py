# refuses: its arm does more than raise
import torch

errors = []


def f(x: torch.Tensor) -> torch.Tensor:
    if x.isnan().any():
        errors.append("holes")
        raise ValueError("holes")
    return x * 2
