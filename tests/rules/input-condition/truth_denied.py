# runs: make_callable make_inputs
import torch
from torch import nn


class Last(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x, mask):
        x = self.lin(x)
        left_padded = not torch.sum(mask[:, -1] == 0)
        if left_padded:
            return x[:, -1]
        return x[torch.arange(x.shape[0]), mask.sum(-1) - 1]


def make_callable():
    torch.manual_seed(0)
    return Last()


def make_inputs():
    g = torch.Generator().manual_seed(0)
    rows = [[0, 1, 1], [1, 1, 1]], [[1, 1, 0], [1, 1, 1]], [[1, 1, 1], [1, 1, 1]]
    return [((torch.randn(2, 3, 4, generator=g), torch.tensor(r)), {}) for r in rows]


# output
import torch
from torch import nn


class Last(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    @torch._dynamo.decorators.skip
    def forward(self, x, mask):
        left_padded = not torch.sum(mask[:, -1] == 0)
        return self._forward(x, mask, left_padded=left_padded)

    def _forward(self, x, mask, *, left_padded):
        x = self.lin(x)
        if left_padded:
            return x[:, -1]
        return x[torch.arange(x.shape[0]), mask.sum(-1) - 1]


def make_callable():
    torch.manual_seed(0)
    return Last()


def make_inputs():
    g = torch.Generator().manual_seed(0)
    rows = [[0, 1, 1], [1, 1, 1]], [[1, 1, 0], [1, 1, 1]], [[1, 1, 1], [1, 1, 1]]
    return [((torch.randn(2, 3, 4, generator=g), torch.tensor(r)), {}) for r in rows]
