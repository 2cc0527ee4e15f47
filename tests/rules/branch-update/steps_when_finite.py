# runs: make_callable make_inputs
import torch


@torch.no_grad()
def step(params, grads, scale, lr: float):
    grads = [g / scale for g in grads]
    worst = torch.stack([g.abs().max() for g in grads]).max()
    if torch.isfinite(worst):
        for p, g in zip(params, grads):
            d = g * lr
            p.sub_(d)
    return worst


def make_callable():
    return step


def make_inputs():
    g = torch.Generator().manual_seed(0)
    params = [torch.randn(3, generator=g), torch.randn(2, generator=g)]
    grads = [torch.randn(3, generator=g), torch.randn(2, generator=g)]
    return [((params, grads, torch.tensor(b)), {"lr": 0.1}) for b in (2.0, 0.0, 1.0)]

# output
import torch


def _update_if(pred, targets, update):
    """`update()` if `pred`, in the graph while compiling where no target takes a gradient."""
    if torch.compiler.is_compiling() and isinstance(pred, torch.Tensor):
        tensors = [t for held in targets for t in (held if isinstance(held, (list, tuple)) else [held])]
        if all(isinstance(t, torch.Tensor) and not t.requires_grad for t in tensors):
            kept = [t.clone() for t in tensors]
            update()
            for t, old in zip(tensors, kept):
                t.copy_(torch.where(pred.reshape(()) != 0, t, old))
            return
    if pred:
        update()


@torch.no_grad()
def step(params, grads, scale, lr: float):
    grads = [g / scale for g in grads]
    worst = torch.stack([g.abs().max() for g in grads]).max()

    def when_true():
        for p, g in zip(params, grads):
            d = g * lr
            p.sub_(d)

    _update_if(torch.isfinite(worst), (params,), when_true)
    return worst


def make_callable():
    return step


def make_inputs():
    g = torch.Generator().manual_seed(0)
    params = [torch.randn(3, generator=g), torch.randn(2, generator=g)]
    grads = [torch.randn(3, generator=g), torch.randn(2, generator=g)]
    return [((params, grads, torch.tensor(b)), {"lr": 0.1}) for b in (2.0, 0.0, 1.0)]