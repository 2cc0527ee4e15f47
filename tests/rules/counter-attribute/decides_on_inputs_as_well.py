# select: TR102,TR502
# runs: make_callable make_inputs
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.served = 0

    def forward(self, x, mask):
        self.served += 1
        h = self.lin(x)
        if mask.all():
            return h.mean(1)
        return (h * mask[..., None]).sum(1)


def make_callable():
    torch.manual_seed(0)
    return Net().eval()


def make_inputs():
    g = torch.Generator().manual_seed(0)
    return [((torch.randn(2, 4, 3, generator=g), torch.arange(4).expand(2, 4) < n), {}) for n in (4, 2, 4, 3, 4)]


# output
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.served = 0

    @torch._dynamo.decorators.skip
    def forward(self, x, mask):
        self.served += 1
        return self._forward(x, mask, mask_all=bool(mask.all()))

    def _forward(self, x, mask, *, mask_all):
        h = self.lin(x)
        if mask_all:
            return h.mean(1)
        return (h * mask[..., None]).sum(1)


def make_callable():
    torch.manual_seed(0)
    return Net().eval()


def make_inputs():
    g = torch.Generator().manual_seed(0)
    return [((torch.randn(2, 4, 3, generator=g), torch.arange(4).expand(2, 4) < n), {}) for n in (4, 2, 4, 3, 4)]
