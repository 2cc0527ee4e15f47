import torch


class Holder:
    def __init__(self, x: torch.Tensor, mask: torch.Tensor) -> None:
        self.x = x
        self.x[mask] = self.x[mask] * 2


@torch.compiler.disable
def f(x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    y[mask] = x[mask] * 2
    return y


def g(x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    if torch.compiler.is_compiling():
        return torch.where(mask, x * 2, y)
    y[mask] = x[mask] * 2
    return y
