import torch


def f(x: torch.Tensor, table: dict) -> float:
    n = int(x.sum())
    y = x[:n]
    print(x.max().item())
    if x.min().item() > 0:
        table["low"] = y.min().item()
    return y.mean().item()


@torch.compiler.disable
def g(x: torch.Tensor) -> torch.Tensor:
    return x / x.max().item()
