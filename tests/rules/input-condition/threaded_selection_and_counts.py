# runs: make_callable make_inputs
import torch
from torch import nn


def text_ids(ids, mask):
    return ids[mask.bool()]


def lookup(table, ids, mask, counts: torch.Tensor):
    kept = text_ids(ids, mask)
    rows = table[kept]
    return rows.repeat_interleave(counts, dim=0)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.randn(20, 4))
        self.head = nn.Linear(4, 4)

    def forward(self, ids, mask, counts):
        rows = self.head(lookup(self.table, ids, mask, counts))
        n = int(mask.sum().item())
        return rows.sum(0) / n


def make_callable():
    torch.manual_seed(0)
    return Model()


def make_inputs():
    return [((torch.arange(6), torch.tensor([1, 1, 0, 1, 0, 1]), torch.tensor([1, 2, 3, 1])), {})]


# output
import torch
from torch import nn


def text_ids(ids, mask, *, ids_selected=None):
    return ids_selected if ids_selected is not None else ids[mask.bool()]


def lookup(table, ids, mask, counts: torch.Tensor, *, ids_selected=None, counts_total=None):
    kept = text_ids(ids, mask, ids_selected=ids_selected)
    rows = table[kept]
    return rows.repeat_interleave(counts, dim=0, output_size=counts_total)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.randn(20, 4))
        self.head = nn.Linear(4, 4)

    @torch._dynamo.decorators.skip
    def forward(self, ids, mask, counts):
        ids_selected = ids[mask.bool()]
        counts_total = counts.sum().item() if counts.numel() != 1 else None
        n = int(mask.sum().item())
        return self._forward(ids, mask, counts, ids_selected=ids_selected, counts_total=counts_total, n=n)

    def _forward(self, ids, mask, counts, *, ids_selected, counts_total, n):
        rows = self.head(lookup(self.table, ids, mask, counts, ids_selected=ids_selected, counts_total=counts_total))
        return rows.sum(0) / n


def make_callable():
    torch.manual_seed(0)
    return Model()


def make_inputs():
    return [((torch.arange(6), torch.tensor([1, 1, 0, 1, 0, 1]), torch.tensor([1, 2, 3, 1])), {})]
