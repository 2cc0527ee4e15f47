# refuses: would leave its `with` block
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        if x.isnan().any():
            raise ValueError("holes")
    return x * 2
