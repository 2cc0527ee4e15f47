import torch


def spread(x: torch.Tensor, valid: torch.Tensor) -> torch.Tensor:
    return x[valid].max() - x[valid].min()


def kept(loss: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    active = loss[mask]
    if active.shape[0] == 0:
        return loss.sum() * 0
    return active.mean()
