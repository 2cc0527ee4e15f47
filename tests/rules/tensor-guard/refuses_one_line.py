# refuses: it shares its line
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    x = x * 2; assert not x.isnan().any()
    return x
