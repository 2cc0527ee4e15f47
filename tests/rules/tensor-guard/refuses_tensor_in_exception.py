# refuses: would keep a tensor
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    if x.isnan().any():
        raise ValueError("holes", x)
    return torch.relu(x)
