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
