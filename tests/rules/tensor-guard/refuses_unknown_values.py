# refuses: nothing tells the type of `context`
# refuses: its arguments are unpacked
import torch


def f(x: torch.Tensor, context) -> torch.Tensor:
    if x.isnan().any():
        raise ValueError(f"holes in {context}")
    if x.isinf().any():
        raise ValueError("limits", *context)
    return x
