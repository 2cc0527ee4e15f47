# runs: make_callable make_inputs
import torch


def pick(x, keep):
    rows = keep.nonzero().squeeze(-1)
    return x[rows]


def pool(x, keep, weight=None):
    y = pick(x, keep)
    if weight is not None:
        y = y * pick(weight, keep)
    return y.sum(0)


@torch.compile
def run(x, keep, weight=None):
    z = torch.relu(x) @ x.T
    return pool(z, keep) + pool(z * 2, keep, weight)




def make_callable():
    return run


def make_inputs():
    x = torch.randn(4, 4)
    return [((x, torch.tensor([True, False, True, True])), {}), ((x, torch.tensor([True, False, False, True]), torch.ones(4, 1)), {})]


# output
import torch


def pick(x, keep, *, keep_nonzero=None):
    rows = (keep_nonzero if keep_nonzero is not None else keep.nonzero()).squeeze(-1)
    return x[rows]


def pool(x, keep, weight=None, *, keep_nonzero=None, keep_nonzero_2=None):
    y = pick(x, keep, keep_nonzero=keep_nonzero)
    if weight is not None:
        y = y * pick(weight, keep, keep_nonzero=keep_nonzero_2)
    return y.sum(0)


def run(x, keep, weight=None):
    keep_nonzero = keep.nonzero()
    keep_nonzero_2 = keep.nonzero() if weight is not None else None
    return _run(x, keep, weight, keep_nonzero=keep_nonzero, keep_nonzero_2=keep_nonzero_2)


@torch.compile
def _run(x, keep, weight, *, keep_nonzero, keep_nonzero_2):
    z = torch.relu(x) @ x.T
    return pool(z, keep, keep_nonzero=keep_nonzero) + pool(z * 2, keep, weight, keep_nonzero=keep_nonzero, keep_nonzero_2=keep_nonzero_2)




def make_callable():
    return run


def make_inputs():
    x = torch.randn(4, 4)
    return [((x, torch.tensor([True, False, True, True])), {}), ((x, torch.tensor([True, False, False, True]), torch.ones(4, 1)), {})]
