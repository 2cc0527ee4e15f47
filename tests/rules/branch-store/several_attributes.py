# flags: --unsafe-fixes
# runs: make_callable make_inputs
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.best = torch.tensor(1e9)
        self.kept = torch.zeros(2, 3)

    def forward(self, x):
        out = self.lin(x)
        loss = out.square().mean()
        if loss < self.best:
            self.best = loss.detach()
            self.kept = out.detach()
        return out - self.kept


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
        self.best = torch.tensor(1e9)
        self.kept = torch.zeros(2, 3)

    def forward(self, x):
        out = self.lin(x)
        loss = out.square().mean()
        self.best, self.kept = _select(
            loss < self.best,
            lambda: (loss.detach(), out.detach()),
            lambda: (self.best, self.kept),
        )
        return out - self.kept


def make_callable():
    torch.manual_seed(0)
    return Net().eval()


def make_inputs():
    g = torch.Generator().manual_seed(0)
    return [((torch.randn(2, 3, generator=g) * k,), {}) for k in (1, -1, 2, 0.1, 5)]
