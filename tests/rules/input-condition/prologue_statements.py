import torch


def pool(values, owner, size=None):
    if size is None:
        # an empty owner has no groups
        size = int(owner.max()) + 1 if owner.numel() else 0
    out = values.new_zeros(size, values.shape[1])
    return out.index_add(0, owner, values)


# output
import torch


@torch._dynamo.decorators.skip
def pool(values, owner, size=None):
    if size is None:
        # an empty owner has no groups
        size = int(owner.max()) + 1 if owner.numel() else 0
    return _pool(values, owner, size)


def _pool(values, owner, size):
    out = values.new_zeros(size, values.shape[1])
    return out.index_add(0, owner, values)
