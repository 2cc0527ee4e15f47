import numpy as np
import torch


def f(x: torch.Tensor, n: int, names: list) -> torch.Tensor:
    if n < 0 or x.shape[0] != n or x.dtype != torch.float32:
        raise ValueError(f"bad {n}")
    if not any(names):
        raise ValueError("no names")
    return x * n
