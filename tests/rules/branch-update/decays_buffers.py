# runs: make_callable make_inputs
import torch


class Usage(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("usage", torch.ones(3))
        self.register_buffer("seen", torch.zeros(3))

    def forward(self, x):
        h = torch.tanh(x)
        if h.abs().max() > 0.5:
            self.usage.mul_(0.5).add_(1)
            self.seen.fill_(1.0)
        return h * self.usage


def make_callable():
    return Usage()


def make_inputs():
    x = torch.linspace(-1, 1, 6).reshape(2, 3)
    return [((x,), {}), ((x * 0.1,), {}), ((x,), {}), ((x * float("nan"),), {})]

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


class Usage(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("usage", torch.ones(3))
        self.register_buffer("seen", torch.zeros(3))

    def forward(self, x):
        h = torch.tanh(x)

        def when_true():
            self.usage.mul_(0.5).add_(1)
            self.seen.fill_(1.0)

        _update_if(h.abs().max() > 0.5, (self.usage, self.seen), when_true)
        return h * self.usage


def make_callable():
    return Usage()


def make_inputs():
    x = torch.linspace(-1, 1, 6).reshape(2, 3)
    return [((x,), {}), ((x * 0.1,), {}), ((x,), {}), ((x * float("nan"),), {})]