import torch


@torch.compile
def sharpen(x):
    h = torch.tanh(x)
    if h.abs().max() > 0.9:
        centre = h.mean()
        spread = h - centre  # around its mean
        h = spread / spread.std() + centre
    else:
        h = h * 2
    return h


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
def sharpen(x):
    h = torch.tanh(x)

    def when_true(h):
        centre = h.mean()
        spread = h - centre  # around its mean
        h = spread / spread.std() + centre
        return h

    h = _cond(h.abs().max() > 0.9, when_true, lambda h: h * 2, (h,))
    return h
