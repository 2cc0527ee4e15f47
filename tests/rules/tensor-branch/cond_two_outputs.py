import torch


@torch.compile
def pair(x):
    a = x.sigmoid()
    b = a + 1
    if a.mean() > 0.5:
        a = a * 2
        b = b.sqrt()
    return a, b


# output
import functools

import torch


def _cond(pred, true_fn, false_fn, operands=()):
    """`torch.cond` while compiling, a plain branch otherwise."""
    if torch.compiler.is_compiling():
        # torch.cond takes neither an arm that returns its input nor arms whose strides differ.
        fresh = functools.partial(torch.clone, memory_format=torch.contiguous_format)
        return torch.cond(
            pred,
            lambda *xs: torch.utils._pytree.tree_map(fresh, true_fn(*xs)),
            lambda *xs: torch.utils._pytree.tree_map(fresh, false_fn(*xs)),
            operands,
        )
    return true_fn(*operands) if pred else false_fn(*operands)


@torch.compile
def pair(x):
    a = x.sigmoid()
    b = a + 1

    def when_true(a, b):
        a = a * 2
        b = b.sqrt()
        return a, b

    a, b = _cond(a.mean() > 0.5, when_true, lambda a, b: (a, b), (a, b))
    return a, b
