import torch


def f(x: torch.Tensor, rows: torch.Tensor, names: list, n: int) -> torch.Tensor:
    a = x[rows].sum()
    b = x[0].mean() + x[:n].max() + x[..., 1].min()
    c = sum(names[1:])
    d = torch.sum(x[rows], dim=0)
    return a + b + c + d


@torch.compiler.disable
def g(x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    return x[mask].sum()
