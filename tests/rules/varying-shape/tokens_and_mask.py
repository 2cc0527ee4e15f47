# runs: make_callable make_inputs
import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self, vocab=16, dim=4, limit=32):
        super().__init__()
        self.limit = limit
        self.served = 0
        self.embed = nn.Embedding(vocab, dim)
        self.place = nn.Embedding(limit, dim)

    @torch.compiler.disable(recursive=False)
    def forward(self, ids, mask):
        self.served += 1
        return self._forward(ids, mask, mask_all=bool(mask.all()))

    def _forward(self, ids, mask, *, mask_all):
        batch, length = ids.shape
        h = self.embed(ids) + self.place(torch.arange(length))
        return h if mask_all else h * mask[..., None]


def make_callable():
    torch.manual_seed(0)
    return Tagger().eval()


def make_inputs():
    g = torch.Generator().manual_seed(0)
    calls = []
    for length in (5, 6, 7, 9, 12):
        ids = torch.randint(0, 16, (2, length), generator=g)
        calls.append(((ids, torch.arange(length).expand(2, length) < 10), {}))
    return calls


# output
import torch
from torch import nn


@torch.compiler.disable
def _varying(dim, *inputs):
    """Tell the compiler that dimension `dim` has another size in every call."""
    for x in inputs:
        if isinstance(x, torch.Tensor) and x.dim() > dim:
            torch._dynamo.maybe_mark_dynamic(x, dim)


class Tagger(nn.Module):
    def __init__(self, vocab=16, dim=4, limit=32):
        super().__init__()
        self.limit = limit
        self.served = 0
        self.embed = nn.Embedding(vocab, dim)
        self.place = nn.Embedding(limit, dim)

    @torch.compiler.disable(recursive=False)
    def forward(self, ids, mask):
        self.served += 1
        _varying(1, ids, mask)
        return self._forward(ids, mask, mask_all=bool(mask.all()))

    def _forward(self, ids, mask, *, mask_all):
        batch, length = ids.shape
        h = self.embed(ids) + self.place(torch.arange(length))
        return h if mask_all else h * mask[..., None]


def make_callable():
    torch.manual_seed(0)
    return Tagger().eval()


def make_inputs():
    g = torch.Generator().manual_seed(0)
    calls = []
    for length in (5, 6, 7, 9, 12):
        ids = torch.randint(0, 16, (2, length), generator=g)
        calls.append(((ids, torch.arange(length).expand(2, length) < 10), {}))
    return calls
