# runs: make_callable make_inputs
import torch
from torch import nn


class Ranker(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def rank(self, scores):
        order = sorted(range(len(scores)), key=lambda i: -scores[i].item())
        kept = [scores[i] for i in order if scores[i].item() > -4]
        return torch.stack([*kept, scores.sum()])

    def forward(self, x):
        found = self.rank(self.lin(x).sum(-1))
        return torch.relu(found).sum() + x.mean()


def make_callable():
    torch.manual_seed(0)
    return Ranker().eval()


def make_inputs():
    g = torch.Generator().manual_seed(0)
    return [((torch.randn(3, 4, generator=g),), {}) for _ in range(3)]

# output
import torch
from torch import nn


class Ranker(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def rank(self, scores):
        return self._rank_on_host(scores)

    @torch.compiler.disable
    def _rank_on_host(self, scores):
        order = sorted(range(len(scores)), key=lambda i: -scores[i].item())
        kept = [scores[i] for i in order if scores[i].item() > -4]
        return torch.stack([*kept, scores.sum()])

    def forward(self, x):
        found = self.rank(self.lin(x).sum(-1))
        return torch.relu(found).sum() + x.mean()


def make_callable():
    torch.manual_seed(0)
    return Ranker().eval()


def make_inputs():
    g = torch.Generator().manual_seed(0)
    return [((torch.randn(3, 4, generator=g),), {}) for _ in range(3)]
