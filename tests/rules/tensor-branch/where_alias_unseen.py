# runs: make_callable make_inputs
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.register_buffer("bias", torch.ones(4))

    def limited(self, h):
        if h.abs().max() > 3:
            h = h * 0.5
        return h

    def forward(self, x):
        skip = h = self.limited(self.lin(x))
        if h.mean() > 0:
            y = x
        else:
            y = x * 2
        if h.mean() > 0.1:
            b = self.bias
        else:
            b = self.bias * 2
        if h.sum() > 0:
            h = h * 3
        return h + skip, self.lin(y), b + 1


def make_callable():
    torch.manual_seed(0)
    return Model()


def make_inputs():
    g = torch.Generator().manual_seed(0)
    x = torch.randn(4, 4, generator=g)
    return [((x,), {}), ((x * -9,), {}), ((x * 20,), {}), ((x * float("nan"),), {})]

# output
import functools

import torch
from torch import nn


def _where(pred, true_fn, false_fn, operands=()):
    """`torch.where` over both arms while compiling, a plain branch otherwise."""
    if torch.compiler.is_compiling():
        return torch.where(pred, true_fn(*operands), false_fn(*operands))
    return true_fn(*operands) if pred else false_fn(*operands)


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


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.register_buffer("bias", torch.ones(4))

    def limited(self, h):
        h = _where_alike(h.abs().max() > 3, lambda h: h * 0.5, lambda h: h, (h,), smooth=True)
        return h

    def forward(self, x):
        skip = h = self.limited(self.lin(x))
        y = _where(h.mean() > 0, lambda x: x, lambda x: x * 2, (x,))
        b = _where(h.mean() > 0.1, lambda: self.bias, lambda: self.bias * 2)
        h = _where(h.sum() > 0, lambda h: h * 3, lambda h: h, (h,))
        return h + skip, self.lin(y), b + 1


def make_callable():
    torch.manual_seed(0)
    return Model()


def make_inputs():
    g = torch.Generator().manual_seed(0)
    x = torch.randn(4, 4, generator=g)
    return [((x,), {}), ((x * -9,), {}), ((x * 20,), {}), ((x * float("nan"),), {})]
