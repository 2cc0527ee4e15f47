import torch


def chunks(x, size):
    for start in range(0, x.shape[0], size):
        part = x[start : start + size]
        if part.abs().sum() > 0:
            yield part


def norms(x, size: int = 2):
    found = [p.norm() for p in chunks(x, size)]
    if not found:
        return x.new_zeros(1)
    return torch.stack(found)

# output
import torch


def chunks(x, size):
    for start in range(0, x.shape[0], size):
        part = x[start : start + size]
        if part.abs().sum() > 0:
            yield part


@torch.compiler.disable
def _norms_on_host(x, size: int):
    found = [p.norm() for p in chunks(x, size)]
    if not found:
        return x.new_zeros(1)
    return torch.stack(found)


# Dynamo can hold nothing of this function: it runs in Python.
@torch._dynamo.decorators.skip
def norms(x, size: int = 2):
    return _norms_on_host(x, size)
