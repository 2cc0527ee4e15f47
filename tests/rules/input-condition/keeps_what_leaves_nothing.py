import torch


def logit(p):
    return torch.log(torch.tensor(p) / (1 - p)).item()


def number(x: torch.Tensor | float | None):
    if isinstance(x, torch.Tensor):
        return x.item()
    return x
