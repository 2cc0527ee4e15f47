# runs: make_callable make_inputs
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.register_buffer("freq", torch.arange(3.0), persistent=False)
        self.short = self.freq

    def prepare(self):
        return torch.arange(3.0) * 2, 1.0

    def forward(self, x):
        length = self.lin(x).abs().max() + 1
        if length > 3:
            if not hasattr(self, "long"):
                self.long, _ = self.prepare()
            self.register_buffer("freq", self.long, persistent=False)
        else:
            # the module may have been moved
            self.short = self.short.to(x.device)
            self.register_buffer("freq", self.short, persistent=False)
        return self.lin(x) * self.freq


def make_callable():
    torch.manual_seed(0)
    return Net().eval()


def make_inputs():
    g = torch.Generator().manual_seed(0)
    return [((torch.randn(2, 3, generator=g) * k,), {}) for k in (1, -1, 2, 0.1, 5)]


# output
import torch
from torch import nn


def _select(pred, true_fn, false_fn):
    """`torch.where` while compiling, where both sides are alike and take no gradient; a plain branch otherwise."""
    if not torch.compiler.is_compiling() or not isinstance(pred, torch.Tensor):
        return true_fn() if pred else false_fn()
    true, false = true_fn(), false_fn()
    pairs = list(zip(true, false)) if isinstance(true, tuple) else [(true, false)]
    for a, b in pairs:
        tensors = isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor)
        if not tensors or a.requires_grad or b.requires_grad:
            return true if pred else false
        if (a.shape, a.dtype, a.device) != (b.shape, b.dtype, b.device):
            return true if pred else false
    chosen = [torch.where(pred.reshape(()) != 0, a, b) for a, b in pairs]
    return tuple(chosen) if isinstance(true, tuple) else chosen[0]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.register_buffer("freq", torch.arange(3.0), persistent=False)
        self.short = self.freq

    def prepare(self):
        return torch.arange(3.0) * 2, 1.0

    def forward(self, x):
        length = self.lin(x).abs().max() + 1

        def when_true():
            if not hasattr(self, "long"):
                self.long, _ = self.prepare()
            return self.long

        def when_false():
            # the module may have been moved
            self.short = self.short.to(x.device)
            return self.short

        self.register_buffer("freq", _select(length > 3, when_true, when_false), persistent=False)
        return self.lin(x) * self.freq


def make_callable():
    torch.manual_seed(0)
    return Net().eval()


def make_inputs():
    g = torch.Generator().manual_seed(0)
    return [((torch.randn(2, 3, generator=g) * k,), {}) for k in (1, -1, 2, 0.1, 5)]
