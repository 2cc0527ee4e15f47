# runs: make_callable make_inputs
import torch


class Centred(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("centre", torch.zeros(3))
        self.fit = torch.nn.Linear(3, 3)

    def forward(self, x):
        h = self.fit(x)
        if self.training and h.detach().abs().max() > 0.5:
            batch = h.detach().mean(0)
            self.centre.lerp_(batch, 0.1)
        return h - self.centre


def make_callable():
    torch.manual_seed(0)
    return Centred()


def make_inputs():
    x = torch.linspace(-1, 1, 6).reshape(2, 3)
    return [((x,), {}), ((x * 0.01,), {}), ((x * 4,), {}), ((x * float("nan"),), {})]

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


class Centred(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("centre", torch.zeros(3))
        self.fit = torch.nn.Linear(3, 3)

    def forward(self, x):
        h = self.fit(x)
        if self.training:
            def when_true():
                batch = h.detach().mean(0)
                self.centre.lerp_(batch, 0.1)

            _update_if(h.detach().abs().max() > 0.5, (self.centre,), when_true)
        return h - self.centre


def make_callable():
    torch.manual_seed(0)
    return Centred()


def make_inputs():
    x = torch.linspace(-1, 1, 6).reshape(2, 3)
    return [((x,), {}), ((x * 0.01,), {}), ((x * 4,), {}), ((x * float("nan"),), {})]