import torch
from torch import nn


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 1)

    def forward(self, x: torch.Tensor, real: torch.Tensor):
        scores = self.lin(x).squeeze(-1)
        gap = scores.mean() - real.mean()
        if gap.item() > 0.1:
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


def _number(x):
    """`x.item()`, or while compiling a 0-d tensor in the graph that is as exact as a Python number."""
    if torch.compiler.is_compiling() and x.device.type != "mps":
        return x.detach().to(torch.float64 if x.is_floating_point() else torch.int64)
    return x.item()


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 1)

    def forward(self, x: torch.Tensor, real: torch.Tensor):
        scores = self.lin(x).squeeze(-1)
        gap = scores.mean() - real.mean()
        scores = _where(_number(gap) > 0.1, lambda scores: scores - 0.5, lambda scores: scores, (scores,))
        return scores


def make_inputs():
    g = torch.Generator().manual_seed(1)
    return [((torch.randn(2, 3, generator=g), torch.randn(2, generator=g) * k), {}) for k in (1, 10, -10)]
