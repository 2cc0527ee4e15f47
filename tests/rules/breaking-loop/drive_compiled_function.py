# runs: make_settled make_inputs
import torch


@torch.compile
def settled(x, limit):
    """Relax until little changes."""
    for _ in range(limit):
        y = x.cos() * 0.5 + 0.25
        if (y - x).abs().max().item() < 1e-2:
            return y
        x = y
    return x - 1


def make_settled():
    return settled


def make_inputs():
    return [((torch.linspace(-1, 1, 8), n), {}) for n in (9, 2)]


# output
import torch


def _settled_step(x):
    return x.cos() * 0.5 + 0.25


def _settled_test(y, x):
    return (y - x).abs().max()


# A break in a loop would have Dynamo skip this function: it runs in Python, and its parts are compiled.
@torch.compile
@torch._dynamo.decorators.skip
def settled(x, limit):
    """Relax until little changes."""
    for _ in range(limit):
        y = _settled_step(x)
        if _settled_test(y, x).item() < 1e-2:
            return y
        x = y
    return x - 1


def make_settled():
    return settled


def make_inputs():
    return [((torch.linspace(-1, 1, 8), n), {}) for n in (9, 2)]
