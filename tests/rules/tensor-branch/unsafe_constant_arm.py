# refuses: the fix changes something a caller can see
import torch


@torch.compile
def weighted(pred, target):
    error = (pred - target).abs()
    if torch.isnan(error.mean()):
        loss = torch.zeros_like(error)
    else:
        loss = 0.5 * error
    return loss.sum()
