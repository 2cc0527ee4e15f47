# runs: make_callable make_inputs
import torch
from torch import nn

SCALE = 2


class Pieces(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.unit = 2
        self.lin = nn.Linear(dim, dim)

    def forward(self, x, counts, *, scale=SCALE):
        if counts is None:
            return self.lin(x)
        h = self.lin(x)
        sizes = (counts * self.unit).tolist()  # rows of each piece
        return torch.stack([p.sum(0) for p in torch.split(h, sizes)]) * scale


class Pair(nn.Module):
    def __init__(self, dim=4):
        super().__init__()
        self.left = Pieces(dim)
        self.right = Pieces(dim)

    def forward(self, x, counts: torch.Tensor, others: torch.Tensor):
        a = self.left(x, counts)
        b = self.right(x.relu(), others + 0, scale=3)
        return a.sum() + b.sum()


def make_callable():
    torch.manual_seed(0)
    return Pair()


def make_inputs():
    torch.manual_seed(1)
    return [((torch.randn(8, 4), torch.tensor([1, 3]), torch.tensor([2, 2])), {})]


# output
import torch
from torch import nn

SCALE = 2


class Pieces(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.unit = 2
        self.lin = nn.Linear(dim, dim)

    def forward(self, x, counts, *, scale=SCALE, sizes=None):
        if counts is None:
            return self.lin(x)
        h = self.lin(x)
        sizes = sizes if sizes is not None else (counts * self.unit).tolist()  # rows of each piece
        return torch.stack([p.sum(0) for p in torch.split(h, sizes)]) * scale


class Pair(nn.Module):
    def __init__(self, dim=4):
        super().__init__()
        self.left = Pieces(dim)
        self.right = Pieces(dim)

    @torch._dynamo.decorators.skip
    def forward(self, x, counts: torch.Tensor, others: torch.Tensor):
        sizes = (counts * self.left.unit).tolist() if counts is not None else None
        sizes_2 = ((others + 0) * self.right.unit).tolist()
        return self._forward(x, counts, others, sizes=sizes, sizes_2=sizes_2)

    def _forward(self, x, counts: torch.Tensor, others: torch.Tensor, *, sizes, sizes_2):
        a = self.left(x, counts, sizes=sizes)
        b = self.right(x.relu(), others + 0, scale=3, sizes=sizes_2)
        return a.sum() + b.sum()


def make_callable():
    torch.manual_seed(0)
    return Pair()


def make_inputs():
    torch.manual_seed(1)
    return [((torch.randn(8, 4), torch.tensor([1, 3]), torch.tensor([2, 2])), {})]
