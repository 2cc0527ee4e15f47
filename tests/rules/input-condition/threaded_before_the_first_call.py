# runs: make_callable make_inputs
import torch
from torch import nn


class Attn(nn.Module):
    def __init__(self, d, window=2):
        super().__init__()
        self.window = window
        self.lin = nn.Linear(d, d)

    def forward(self, x, sizes):
        parts = torch.split(self.lin(x), [s // self.window for s in sizes.tolist()])
        return torch.cat([p - p.mean(0) for p in parts])


class Net(nn.Module):
    def __init__(self, d=4):
        super().__init__()
        self.layers = nn.ModuleList([Attn(d, w) for w in (1, 1)])
        self.other = Attn(d, 2)

    def forward(self, x, sizes: torch.Tensor, *, extra: torch.Tensor = None):
        for i, layer in enumerate(self.layers):
            x = layer(x, sizes)
        half = self.other(x[: x.shape[0] // 2], sizes)
        return x.sum() + half.sum()


def make_callable():
    torch.manual_seed(0)
    return Net()


def make_inputs():
    torch.manual_seed(2)
    return [((torch.randn(8, 4), torch.tensor([2, 6])), {}), ((torch.randn(8, 4), torch.tensor([4, 4])), {})]


# output
import torch
from torch import nn


class Attn(nn.Module):
    def __init__(self, d, window=2):
        super().__init__()
        self.window = window
        self.lin = nn.Linear(d, d)

    def forward(self, x, sizes, *, sizes_list=None):
        parts = torch.split(self.lin(x), [s // self.window for s in (sizes_list if sizes_list is not None else sizes.tolist())])
        return torch.cat([p - p.mean(0) for p in parts])


class Net(nn.Module):
    def __init__(self, d=4):
        super().__init__()
        self.layers = nn.ModuleList([Attn(d, w) for w in (1, 1)])
        self.other = Attn(d, 2)

    @torch._dynamo.decorators.skip
    def forward(self, x, sizes: torch.Tensor, *, extra: torch.Tensor = None):
        sizes_list = sizes.tolist()
        return self._forward(x, sizes, extra=extra, sizes_list=sizes_list)

    def _forward(self, x, sizes: torch.Tensor, *, extra: torch.Tensor, sizes_list):
        for i, layer in enumerate(self.layers):
            x = layer(x, sizes, sizes_list=sizes_list)
        half = self.other(x[: x.shape[0] // 2], sizes, sizes_list=sizes_list)
        return x.sum() + half.sum()


def make_callable():
    torch.manual_seed(0)
    return Net()


def make_inputs():
    torch.manual_seed(2)
    return [((torch.randn(8, 4), torch.tensor([2, 6])), {}), ((torch.randn(8, 4), torch.tensor([4, 4])), {})]
