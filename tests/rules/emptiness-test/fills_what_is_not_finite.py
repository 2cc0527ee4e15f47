# runs: Clean make_inputs
import torch
from torch import nn


class Clean(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        scores = self.lin(x)
        bad = scores.isnan()
        if bad.any():
            scores[bad] = 0.0
        if not torch.isfinite(scores).all():
            scores = torch.nan_to_num(scores, posinf=1e4, neginf=-1e4)
        return scores.softmax(-1)


def make_inputs():
    x = torch.randn(3, 4, generator=torch.Generator().manual_seed(0))
    calls = [x.clone() for _ in range(3)]
    calls[1][0, 0] = float("nan")
    calls[2][1, 1] = float("inf")
    return [((c,), {}) for c in calls]


# output
import torch
from torch import nn


class Clean(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        scores = self.lin(x)
        bad = scores.isnan()
        if torch.compiler.is_compiling() or bad.any():
            scores[bad] = 0.0
        if torch.compiler.is_compiling() or not torch.isfinite(scores).all():
            scores = torch.nan_to_num(scores, posinf=1e4, neginf=-1e4)
        return scores.softmax(-1)


def make_inputs():
    x = torch.randn(3, 4, generator=torch.Generator().manual_seed(0))
    calls = [x.clone() for _ in range(3)]
    calls[1][0, 0] = float("nan")
    calls[2][1, 1] = float("inf")
    return [((c,), {}) for c in calls]
