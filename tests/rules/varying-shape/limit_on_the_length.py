# select: TR102,TR501,TR502
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

    def forward(self, ids, mask):
        self.served += 1
        length = ids.size(1)
        if length > self.limit:
            raise ValueError(f"at most {self.limit} tokens, got {length}")
        h = self.embed(ids)
        if mask.all():
            return h.sum(1)
        return (h * mask[..., None]).sum(1)


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

    @torch._dynamo.decorators.skip
    def forward(self, ids, mask):
        self.served += 1
        _varying(1, ids, mask)
        return self._forward(ids, mask, mask_all=bool(mask.all()))

    def _forward(self, ids, mask, *, mask_all):
        length = ids.size(1)
        if length > self.limit:
            raise ValueError(f"at most {self.limit} tokens, got {length}")
        h = self.embed(ids)
        if mask_all:
            return h.sum(1)
        return (h * mask[..., None]).sum(1)


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
