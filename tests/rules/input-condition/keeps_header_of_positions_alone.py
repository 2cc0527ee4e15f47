import torch
from torch import nn


class Base(nn.Module):
    @staticmethod
    def width(lens):
        return lens.max().item()

    def crop(self, x, lens, /, *, pad=0):
        return x[:, : self.width(lens) + pad]


class Model(Base):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(6, 6)

    def forward(self, x, lens: torch.Tensor, *rest, **options):
        h = self.lin(x)
        outs = [self.crop(h, lens, pad=p) for p in (0, 1)]
        outs += [Base.crop(self, h * 2, lens)]
        return sum(o.sum() for o in outs)


def make_callable():
    torch.manual_seed(0)
    return Model()


def make_inputs():
    return [((torch.ones(2, 6), torch.tensor([2, 3])), {}), ((torch.ones(2, 6), torch.tensor([4, 1]), 3), {"a": 1})]
