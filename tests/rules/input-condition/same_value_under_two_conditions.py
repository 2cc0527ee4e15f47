# runs: make_callable make_inputs
import torch
from torch import nn


class Switched(nn.Module):
    def __init__(self, dim=4):
        super().__init__()
        self.lin = nn.Linear(dim, dim)

    def forward(self, x, mask, lengths, flag: bool, first: bool, second: bool):
        x = self.lin(x)
        if flag:
            if mask.any():
                x = x.relu()
        else:
            if mask.any():
                x = x.sigmoid()
        if first:
            x = x[: lengths.max().item()]
        if second:
            x = x[: lengths.max().item()] + 1
        return x


def make_callable():
    torch.manual_seed(0)
    return Switched()


def make_inputs():
    x, mask, lengths = torch.randn(3, 4), torch.tensor([True, False]), torch.tensor([1, 2])
    on = [((x, m, lengths, f, True, False), {}) for m in (mask, mask & False) for f in (True, False)]
    return on + [((x, mask, lengths, True, False, second), {}) for second in (True, False)]


# output
import torch
from torch import nn


class Switched(nn.Module):
    def __init__(self, dim=4):
        super().__init__()
        self.lin = nn.Linear(dim, dim)

    @torch._dynamo.decorators.skip
    def forward(self, x, mask, lengths, flag: bool, first: bool, second: bool):
        return self._forward(
            x,
            mask,
            lengths,
            flag,
            first,
            second,
            mask_any=bool(mask.any()),
            lengths_max=lengths.max().item() if first else None,
            lengths_max_2=lengths.max().item() if second else None,
        )

    def _forward(self, x, mask, lengths, flag: bool, first: bool, second: bool, *, mask_any, lengths_max, lengths_max_2):
        x = self.lin(x)
        if flag:
            if mask_any:
                x = x.relu()
        else:
            if mask_any:
                x = x.sigmoid()
        if first:
            x = x[: lengths_max]
        if second:
            x = x[: lengths_max_2] + 1
        return x


def make_callable():
    torch.manual_seed(0)
    return Switched()


def make_inputs():
    x, mask, lengths = torch.randn(3, 4), torch.tensor([True, False]), torch.tensor([1, 2])
    on = [((x, m, lengths, f, True, False), {}) for m in (mask, mask & False) for f in (True, False)]
    return on + [((x, mask, lengths, True, False, second), {}) for second in (True, False)]
