import torch


@torch.compile
def explore(values, eps: float):
    action = values.argmax(-1)
    if torch.rand(()) < eps:
        action = torch.randint_like(action, 4)
    return action, values


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
def explore(values, eps: float):
    action = values.argmax(-1)
    action = _cond(torch.rand(()) < eps, lambda action: torch.randint_like(action, 4), lambda action: action, (action,))
    return action, values
