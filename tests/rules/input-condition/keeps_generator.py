import torch


@torch.compile
def chunks(x, mask):
    if mask.all():
        yield x
    yield x + 1
