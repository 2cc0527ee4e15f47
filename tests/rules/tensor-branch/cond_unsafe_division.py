import torch


@torch.compile
def normalised(x, weight):
    x = torch.relu(x @ weight).sigmoid()
    if x.norm() > 2.0:
        x = x / x.norm()
    return x


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
def normalised(x, weight):
    x = torch.relu(x @ weight).sigmoid()
    x = _cond(x.norm() > 2.0, lambda x: x / x.norm(), lambda x: x, (x,))
    return x
