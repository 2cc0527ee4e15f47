# refuses: has a cause
# refuses: raises again
import torch


def f(x: torch.Tensor, error: Exception) -> torch.Tensor:
    if x.isnan().any():
        raise ValueError("holes") from error
    if x.isinf().any():
        raise
    return x
