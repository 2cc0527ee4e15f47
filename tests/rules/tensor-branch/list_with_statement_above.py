# runs: make_callable make_inputs
import torch


def update(params, grads, moments, max_norm: float, lr: float):
    total = torch.sqrt(sum(g.pow(2).sum() for g in grads))
    if total > max_norm:
        scale = max_norm / (total + 1e-6)
        grads = [g * scale for g in grads]
    moments = [0.9 * m + 0.1 * g for m, g in zip(moments, grads)]
    return [p - lr * m for p, m in zip(params, moments)], moments, total


def make_callable():
    return update


def make_inputs():
    g = torch.Generator().manual_seed(1)
    def lists(s):
        return [torch.randn(3, generator=g) * s, torch.randn(2, 2, generator=g) * s]
    return [((lists(1), lists(s), lists(1), 1.0, 0.1), {}) for s in (0.1, 2.0)]


# output
import torch


def _where_each(pred, true_fn, items):
    """`true_fn(items) if pred else items`, of lists; while compiling item by item, where both sides are alike."""
    if torch.compiler.is_compiling() and isinstance(pred, torch.Tensor) and pred.numel() == 1:
        if all(isinstance(x, torch.Tensor) and not x.requires_grad for x in items):
            pairs = list(zip(true_fn(items), items))
            if all((a.shape, a.dtype, a.device) == (b.shape, b.dtype, b.device) for a, b in pairs):
                if not any(a.requires_grad for a, _ in pairs):
                    return [torch.where(pred.reshape(()) != 0, a, b) for a, b in pairs]
    return true_fn(items) if pred else items


def update(params, grads, moments, max_norm: float, lr: float):
    total = torch.sqrt(sum(g.pow(2).sum() for g in grads))

    def when_true(grads):
        scale = max_norm / (total + 1e-6)
        return [g * scale for g in grads]

    grads = _where_each(total > max_norm, when_true, grads)
    moments = [0.9 * m + 0.1 * g for m, g in zip(moments, grads)]
    return [p - lr * m for p, m in zip(params, moments)], moments, total


def make_callable():
    return update


def make_inputs():
    g = torch.Generator().manual_seed(1)
    def lists(s):
        return [torch.randn(3, generator=g) * s, torch.randn(2, 2, generator=g) * s]
    return [((lists(1), lists(s), lists(1), 1.0, 0.1), {}) for s in (0.1, 2.0)]
