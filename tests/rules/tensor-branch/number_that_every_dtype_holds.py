# runs: Critic make_inputs
import torch
from torch import nn


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 1)

    def forward(self, x: torch.Tensor, real: torch.Tensor):
        scores = self.lin(x).squeeze(-1)
        gap = scores.mean() - real.mean()
        if gap.item() > 0.0:
            scores = scores - 0.5
        return scores


def make_inputs():
    g = torch.Generator().manual_seed(1)
    return [((torch.randn(2, 3, generator=g), torch.randn(2, generator=g) * k), {}) for k in (1, 10, -10)]


# output
import torch
from torch import nn


def _where(pred, true_fn, false_fn, operands=()):
    """`torch.where` over both arms while compiling, a plain branch otherwise."""
    if torch.compiler.is_compiling():
        return torch.where(pred, true_fn(*operands), false_fn(*operands))
    return true_fn(*operands) if pred else false_fn(*operands)


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 1)

    def forward(self, x: torch.Tensor, real: torch.Tensor):
        scores = self.lin(x).squeeze(-1)
        gap = scores.mean() - real.mean()
        scores = _where(gap > 0.0, lambda scores: scores - 0.5, lambda scores: scores, (scores,))
        return scores


def make_inputs():
    g = torch.Generator().manual_seed(1)
    return [((torch.randn(2, 3, generator=g), torch.randn(2, generator=g) * k), {}) for k in (1, 10, -10)]
