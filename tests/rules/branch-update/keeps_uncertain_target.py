import torch


@torch.compile
def fill(x, store):
    h = torch.tanh(x)
    # What `store` holds may be anything with such a method.
    if h.sum() > 0:
        store.cells[0].fill_(1.0)
    return h
