# runs: make_callable make_inputs
import torch


def clip(grads, limit):
    norm = torch.stack([g.detach().square().sum() for g in grads]).sum().sqrt()
    scale = limit / (norm + 1e-6)
    # A NaN norm leaves them as they are.
    if scale < 1:
        for g in grads:
            g.detach().mul_(scale)
    return norm


def make_callable():
    return clip


def make_inputs():
    def two(factor):
        g = torch.Generator().manual_seed(0)
        return [torch.randn(3, generator=g) * factor, torch.randn(2, 2, generator=g).half() * factor]

    return [((two(0.1), 1.0), {}), ((two(9.0), 1.0), {}), ((two(float("nan")), 1.0), {}), ((tuple(two(2.0)), 0.5), {})]

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


def clip(grads, limit):
    norm = torch.stack([g.detach().square().sum() for g in grads]).sum().sqrt()
    scale = limit / (norm + 1e-6)
    # A NaN norm leaves them as they are.
    def when_true():
        for g in grads:
            g.detach().mul_(scale)

    _update_if(scale < 1, (grads,), when_true)
    return norm


def make_callable():
    return clip


def make_inputs():
    def two(factor):
        g = torch.Generator().manual_seed(0)
        return [torch.randn(3, generator=g) * factor, torch.randn(2, 2, generator=g).half() * factor]

    return [((two(0.1), 1.0), {}), ((two(9.0), 1.0), {}), ((two(float("nan")), 1.0), {}), ((tuple(two(2.0)), 0.5), {})]