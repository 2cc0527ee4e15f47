# runs: make_callable make_inputs
import torch
from torch import nn


class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x, mask):
        if not mask.all():
            return self.lin(x)[:, :2]
        return x.sum(0, keepdim=True)


class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()

    def forward(self, x, mask: torch.Tensor):
        return self.inner(x.relu(), mask) + 1


def make_callable():
    torch.manual_seed(0)
    return Outer()


def make_inputs():
    return [((torch.ones(2, 4), torch.tensor([True, True])), {}), ((torch.ones(2, 4), torch.tensor([True, False])), {})]


# output
import torch
from torch import nn


class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x, mask, *, mask_all=None):
        if not (mask_all if mask_all is not None else bool(mask.all())):
            return self.lin(x)[:, :2]
        return x.sum(0, keepdim=True)


class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()

    @torch._dynamo.decorators.skip
    def forward(self, x, mask: torch.Tensor):
        mask_all = bool(mask.all())
        return self._forward(x, mask, mask_all=mask_all)

    def _forward(self, x, mask: torch.Tensor, *, mask_all):
        return self.inner(x.relu(), mask, mask_all=mask_all) + 1


def make_callable():
    torch.manual_seed(0)
    return Outer()


def make_inputs():
    return [((torch.ones(2, 4), torch.tensor([True, True])), {}), ((torch.ones(2, 4), torch.tensor([True, False])), {})]
