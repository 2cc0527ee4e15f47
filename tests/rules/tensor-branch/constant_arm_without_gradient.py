# runs: make_callable make_inputs
import torch


@torch.no_grad()
def weighted(pred, target):
    error = (pred - target).abs()
    if torch.isnan(error.mean()):
        loss = torch.zeros_like(error)
    else:
        loss = 0.5 * error
    return loss.sum()


def make_callable():
    return weighted


def make_inputs():
    x = torch.arange(3.0)
    return [((x, x + 1), {}), ((x * float("nan"), x), {}), ((x, x), {})]

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


@torch.no_grad()
def weighted(pred, target):
    error = (pred - target).abs()
    loss = _cond(torch.isnan(error.mean()), lambda error: torch.zeros_like(error), lambda error: 0.5 * error, (error,))
    return loss.sum()


def make_callable():
    return weighted


def make_inputs():
    x = torch.arange(3.0)
    return [((x, x + 1), {}), ((x * float("nan"), x), {}), ((x, x), {})]
