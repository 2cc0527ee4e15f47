import torch


@torch.compile
def link(x, weight):
    z = torch.tanh(x * weight.norm())
    if z.min() > 0:
        return torch.log(z)
    # elsewhere the line goes on
    return 2 * z


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
def link(x, weight):
    z = torch.tanh(x * weight.norm())
    # elsewhere the line goes on
    return _cond(z.min() > 0, lambda z: torch.log(z), lambda z: 2 * z, (z,))
