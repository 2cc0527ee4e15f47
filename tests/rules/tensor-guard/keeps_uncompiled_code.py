import torch


@torch.compiler.disable
def f(x: torch.Tensor) -> torch.Tensor:
    if (x > 0).any():
        raise ValueError("positive")
    return x


def g(x: torch.Tensor) -> torch.Tensor:
    if not torch.compiler.is_compiling():
        if (x > 0).any():
            raise ValueError("positive")
    return x
