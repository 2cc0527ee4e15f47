# runs: make_callable make_inputs
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.register_buffer("sink", torch.zeros(2, 3))

    def forward(self, x):
        out = self.lin(x)
        if out.sum() > 0:
            self.sink.copy_(out.detach())
        return torch.cat([self.sink, out])


def make_callable():
    torch.manual_seed(0)
    return Net().eval()


def make_inputs():
    g = torch.Generator().manual_seed(0)
    return [((torch.randn(2, 3, generator=g) * k,), {}) for k in (1, -1, 2, 0.1, 5)]


# output
import torch
from torch import nn


def _copy_if(pred, target, value_fn):
    """`target.copy_(value_fn())` if `pred`, in the graph while compiling where the value fits and takes no gradient."""
    if not torch.compiler.is_compiling() or not isinstance(pred, torch.Tensor):
        if pred:
            target.copy_(value_fn())
        return
    value = value_fn()
    if value.shape == target.shape and not (value.requires_grad or target.requires_grad):
        target.copy_(torch.where(pred.reshape(()) != 0, value.to(target), target))
    elif pred:
        target.copy_(value)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.register_buffer("sink", torch.zeros(2, 3))

    def forward(self, x):
        out = self.lin(x)
        _copy_if(out.sum() > 0, self.sink, lambda: out.detach())
        return torch.cat([self.sink, out])


def make_callable():
    torch.manual_seed(0)
    return Net().eval()


def make_inputs():
    g = torch.Generator().manual_seed(0)
    return [((torch.randn(2, 3, generator=g) * k,), {}) for k in (1, -1, 2, 0.1, 5)]
