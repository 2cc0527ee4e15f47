# refuses: torch.cond takes no branch
import functools

import torch


def _where_alike(pred, true_fn, false_fn, operands=(), smooth=False):
    """`torch.where` while compiling, where both arms give tensors that are alike; a plain branch otherwise.

    `smooth`: the derivatives of both arms are finite everywhere. Where they are not, gradients need `torch.cond`.
    """
    if torch.compiler.is_compiling() and isinstance(pred, torch.Tensor):
        true, false = true_fn(*operands), false_fn(*operands)
        pairs = list(zip(true, false)) if isinstance(true, tuple) else [(true, false)]
        if all(
            isinstance(a, torch.Tensor)
            and isinstance(b, torch.Tensor)
            and (a.shape, a.dtype, a.device, a.requires_grad) == (b.shape, b.dtype, b.device, b.requires_grad)
            for a, b in pairs
        ):
            pred = pred.reshape(()) != 0
            if smooth or not any(a.requires_grad or b.requires_grad for a, b in pairs):
                chosen = [torch.where(pred, a, b) for a, b in pairs]
                return tuple(chosen) if isinstance(true, tuple) else chosen[0]
            fresh = functools.partial(torch.clone, memory_format=torch.contiguous_format)
            return torch.cond(
                pred,
                lambda *xs: torch.utils._pytree.tree_map(fresh, true_fn(*xs)),
                lambda *xs: torch.utils._pytree.tree_map(fresh, false_fn(*xs)),
                operands,
            )
    return true_fn(*operands) if pred else false_fn(*operands)


def tamed(h):
    return _where_alike(h.sum() > 9, lambda h: h.mean(0), lambda h: h, (h,), smooth=True)


@torch.compile
def run(x):
    h = torch.tanh(x)
    if h.mean() > 0:
        h = torch.softmax(tamed(h), -1)
    else:
        h = torch.softmax(h, -1)
    return h.sum(-1)
