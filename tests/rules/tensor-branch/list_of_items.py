# runs: make_callable make_inputs
import torch
from torch import nn


class Sgd:
    def __init__(self, lr=0.1, limit=1.0):
        self.lr, self.limit = lr, limit

    def step(self, params, grads):
        total = torch.sqrt(sum((g * g).sum() for g in grads))
        if total > self.limit:
            grads = [g * (self.limit / total) for g in grads]
        return [p - self.lr * g for p, g in zip(params, grads)]


def make_callable():
    return Sgd().step


def make_inputs():
    g = torch.Generator().manual_seed(22)
    p = [torch.randn(2, generator=g), torch.randn(3, generator=g)]
    d = [torch.randn(2, generator=g), torch.randn(3, generator=g)]
    return [((p, d), {}), ((p, [x * 0.01 for x in d]), {})]


# output
import torch
from torch import nn


def _where_each(pred, true_fn, items):
    """`true_fn(items) if pred else items`, of lists; while compiling item by item, where both sides are alike."""
    if torch.compiler.is_compiling() and isinstance(pred, torch.Tensor) and pred.numel() == 1:
        if all(isinstance(x, torch.Tensor) and not x.requires_grad for x in items):
            pairs = list(zip(true_fn(items), items))
            if all((a.shape, a.dtype, a.device) == (b.shape, b.dtype, b.device) for a, b in pairs):
                if not any(a.requires_grad for a, _ in pairs):
                    return [torch.where(pred.reshape(()) != 0, a, b) for a, b in pairs]
    return true_fn(items) if pred else items


class Sgd:
    def __init__(self, lr=0.1, limit=1.0):
        self.lr, self.limit = lr, limit

    def step(self, params, grads):
        total = torch.sqrt(sum((g * g).sum() for g in grads))
        grads = _where_each(total > self.limit, lambda grads: [g * (self.limit / total) for g in grads], grads)
        return [p - self.lr * g for p, g in zip(params, grads)]


def make_callable():
    return Sgd().step


def make_inputs():
    g = torch.Generator().manual_seed(22)
    p = [torch.randn(2, generator=g), torch.randn(3, generator=g)]
    d = [torch.randn(2, generator=g), torch.randn(3, generator=g)]
    return [((p, d), {}), ((p, [x * 0.01 for x in d]), {})]
