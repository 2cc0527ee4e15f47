import torch


def pool(
    h, mask: torch.Tensor, scale=2.0
):
    if mask.all():
        return h.mean(1) * scale
    return (h * mask[..., None]).sum(1)

# output
import torch


@torch._dynamo.decorators.skip
def pool(
    h, mask: torch.Tensor, scale=2.0
):
    return _pool(h, mask, scale, mask_all=bool(mask.all()))


def _pool(
    h, mask: torch.Tensor, scale, *, mask_all
):
    if mask_all:
        return h.mean(1) * scale
    return (h * mask[..., None]).sum(1)
