# refuses: `q` may be `h` itself, of which a graph would give a copy: `q` may be changed by `.add_(…)`
# refuses: `u` may be `first` itself, of which a graph would give a copy: `(first, u)` is returned
import torch


def changed(x):
    h = torch.exp(x)
    if h.sum() > 7:
        q = h
    else:
        q = h * 3
    q.add_(1)
    return h + 1, q * 2


def returned(x):
    u = torch.exp(x)
    first = u
    if u.sum() > 2:
        u = u * 3
    return first, u
