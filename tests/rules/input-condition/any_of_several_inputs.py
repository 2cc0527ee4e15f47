# runs: make_callable make_inputs
import torch
from torch import nn


class Guarded(nn.Module):
    """Skips the step where a gradient is not finite."""

    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x, grads):
        if any(g.isnan().any() for g in grads):
            return x
        return self.lin(x) + sum(g.sum() for g in grads)


def all_finite(grads):
    return bool(all(torch.isfinite(g).all() for g in grads))


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x, grads, scale: float):
        if all_finite(grads):
            return self.lin(x) / scale
        return x * 0


def make_callable():
    torch.manual_seed(0)
    guarded, scaled = Guarded(), Scaled()
    return lambda x, grads: (guarded(x, grads), scaled(x, grads, 2.0))


def make_inputs():
    torch.manual_seed(0)
    bad = torch.tensor([1.0, float("nan")])
    return [((torch.randn(2, 4), [torch.randn(3), t]), {}) for t in (torch.randn(2), bad, torch.zeros(2), bad)]


# output
import torch
from torch import nn


class Guarded(nn.Module):
    """Skips the step where a gradient is not finite."""

    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    @torch._dynamo.decorators.skip
    def forward(self, x, grads):
        return self._forward(x, grads, grads_isnan_any=any(g.isnan().any() for g in grads))

    def _forward(self, x, grads, *, grads_isnan_any):
        if grads_isnan_any:
            return x
        return self.lin(x) + sum(g.sum() for g in grads)


def all_finite(grads):
    return bool(all(torch.isfinite(g).all() for g in grads))


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    @torch._dynamo.decorators.skip
    def forward(self, x, grads, scale: float):
        return self._forward(x, grads, scale, grads_all_finite=all_finite(grads))

    def _forward(self, x, grads, scale: float, *, grads_all_finite):
        if grads_all_finite:
            return self.lin(x) / scale
        return x * 0


def make_callable():
    torch.manual_seed(0)
    guarded, scaled = Guarded(), Scaled()
    return lambda x, grads: (guarded(x, grads), scaled(x, grads, 2.0))


def make_inputs():
    torch.manual_seed(0)
    bad = torch.tensor([1.0, float("nan")])
    return [((torch.randn(2, 4), [torch.randn(3), t]), {}) for t in (torch.randn(2), bad, torch.zeros(2), bad)]
