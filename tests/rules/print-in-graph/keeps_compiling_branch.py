import torch


def f(x: torch.Tensor) -> torch.Tensor:
    if not torch.compiler.is_compiling():
        print("eager", x.mean())
    return torch.relu(x)
