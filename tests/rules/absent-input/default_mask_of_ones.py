# runs: make_callable make_inputs
import torch


def pooled(x, mask=None):
    """The mean over what the mask shows."""
    if mask is None:
        mask = torch.ones(x.shape[:2], device=x.device)
    shown = mask[:, : x.shape[1]].to(torch.float32) > 0
    whole = bool(shown.all())  # nothing is hidden
    return x.mean(1) if whole else (x * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)


def make_callable():
    return pooled


def make_inputs():
    x = torch.randn(2, 3, 4)
    return [((x,), {})]

# output
import torch


def pooled(x, mask=None):
    """The mean over what the mask shows."""
    mask_absent = mask is None
    if mask is None:
        mask = torch.ones(x.shape[:2], device=x.device)
    shown = mask[:, : x.shape[1]].to(torch.float32) > 0
    whole = True if mask_absent else bool(shown.all())  # nothing is hidden
    return x.mean(1) if whole else (x * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)


def make_callable():
    return pooled


def make_inputs():
    x = torch.randn(2, 3, 4)
    return [((x,), {})]
