import torch


def usable(mask):
    if mask is not None and (mask == 0.0).any():
        return mask
    return None


def attend(q, k, v, mask=None):
    mask = usable(mask)
    scores = q @ k.transpose(-1, -2)
    if mask is not None:
        scores = scores.masked_fill(mask[:, None, :] == 0, -1e9)
    return scores.softmax(-1) @ v


# output
import torch


def usable(mask):
    if mask is not None and (mask == 0.0).any():
        return mask
    return None


@torch._dynamo.decorators.skip
def attend(q, k, v, mask=None):
    mask = usable(mask)
    return _attend(q, k, v, mask)


def _attend(q, k, v, mask):
    scores = q @ k.transpose(-1, -2)
    if mask is not None:
        scores = scores.masked_fill(mask[:, None, :] == 0, -1e9)
    return scores.softmax(-1) @ v
