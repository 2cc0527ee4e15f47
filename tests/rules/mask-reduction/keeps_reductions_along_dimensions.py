import torch


def f(x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    return x[mask].sum(0), x[mask].mean(dim=-1), x[mask].max(0), x[mask].std(), torch.max(x[mask], x[mask])
