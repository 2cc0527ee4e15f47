# refuses: what stands between the selection and its use may change what is selected
# refuses: `chosen` is also read on line
import torch


def f(x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    picked = x[mask]
    x.add_(1)
    y[mask] = picked * 2
    return y


def g(x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    chosen = x[mask]
    y[mask] = chosen * 2
    return y, chosen
