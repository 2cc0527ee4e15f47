import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.limit = 3
        self.lin = nn.Linear(6, 6)

    def cut(self, x, lens):
        n = min(lens.sum().item(), self.limit)
        return x[:, :n]

    def forward(self, x, lens: torch.Tensor):
        self.limit = x.shape[0]
        h = self.lin(x)
        return self.cut(h, lens).sum()


def make_callable():
    torch.manual_seed(0)
    return Model()


def make_inputs():
    return [((torch.ones(2, 6), torch.tensor([2, 3])), {}), ((torch.ones(5, 6), torch.tensor([4, 1])), {})]
